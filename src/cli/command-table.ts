import type { CommandEntry } from './command.ts';

/** Commands that only hold others. */
export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  dlq: 'the dead letters: what could not be written, or not be read',
};

const FILE = ['-f, --file <path>', 'YAML file, folder of such files, or - for standard input'] as const;
const TARGET = ['--target <service>', 'only of this target'] as const;
const CHANNEL = ['--channel <name>', 'a channel instead of a target'] as const;
const LIMIT = ['--limit <number>', 'at most so many, newest first'] as const;

/** All commands, in the order in which help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'serve',
    summary: 'run the service: take changes in and write them back until SIGTERM',
    example: 'BACKFLOW_WEBHOOK_SECRETS=… backflow serve --config backflow.yaml',
    options: [
      ['--config <path>', 'file or folder that is applied at start (default: BACKFLOW_CONFIG)'],
      ['--allow-unsigned', 'take webhook bodies without a signature; only while listening on loopback'],
    ],
    run: async (call) => (await import('./commands/serve.ts')).serve(call),
  },
  {
    usage: 'demo',
    summary: 'run everything once on databases of its own, and show what became of each change',
    example: 'backflow demo --once',
    options: [['--once', 'end after the report instead of staying up']],
    run: async ({ options, output }) =>
      (await import('./commands/demo.ts')).demo({ once: options.once === true }, output),
  },
  {
    usage: 'validate',
    summary: 'check a configuration without any server',
    example: 'backflow validate -f backflow.yaml',
    options: [FILE],
    run: async (call) => (await import('./commands/validate.ts')).validate(call),
  },
  {
    usage: 'apply',
    summary: 'put a configuration in force; prints what changes',
    example: 'backflow apply -f backflow.yaml --dry-run',
    options: [FILE, ['--dry-run', 'only check it and show the difference']],
    run: async (call) => (await import('./commands/apply.ts')).apply(call),
  },
  {
    usage: 'export',
    summary: 'print the configuration in force as YAML that apply takes back',
    example: 'backflow export > backflow.yaml',
    run: async (call) => (await import('./commands/export.ts')).exportInForce(call),
  },
  {
    usage: 'check [target]',
    summary: 'connect to the targets, and name every privilege that is missing with its GRANT',
    example: 'backflow check pg_sales -f backflow.yaml',
    options: [[FILE[0], `${FILE[1]} (default: the configuration in force)`]],
    run: async (call) => (await import('./commands/check.ts')).check(call),
  },
  {
    usage: 'connectors',
    summary: 'list the systems that can be written to, and what of them',
    example: 'backflow connectors --json',
    options: [['--markdown', 'one row for each system, as the README shows it']],
    run: async (call) => (await import('./commands/connectors.ts')).connectors(call),
  },
  {
    usage: 'render',
    summary: 'print the exact statements that an event leads to, without any server',
    example: 'backflow render --connector postgres --template-file comment.sql --event event.json',
    options: [
      ['--connector <name>', 'connector that plans and quotes (with --channel: default is that of the target)'],
      ['--template <text>', 'SQL template; without one the connector plans by itself'],
      ['--template-file <path>', 'the same, from a file'],
      ['--channel <name>', 'use this channel of the configuration given with -f'],
      FILE,
      ['--event <path>', 'change event as the catalogue sends it, or - for standard input'],
    ],
    run: async (call) => (await import('./commands/render.ts')).render(call),
  },
  {
    usage: 'publish <file>',
    summary: 'publish change events from a file (or - for standard input) for the running service to take in',
    example: 'backflow publish event.json',
    run: async (call) => (await import('./commands/publish.ts')).publish(call),
  },
  {
    usage: 'runs',
    summary: 'list recorded outcomes, newest first',
    example: 'backflow runs --target pg_sales --status failed --limit 50',
    options: [
      TARGET,
      ['--status <status>', 'applied, unchanged, superseded, skipped, failed or observed'],
      ['--channel <name>', 'only of this channel'],
      ['--asset <fqn>', 'only of this asset, or of one of its columns'],
      ['--event <id>', 'only of the change with this event id'],
      ['--full', 'with long values and statements whole instead of cut'],
      LIMIT,
    ],
    run: async (call) => (await import('./commands/runs.ts')).runs(call),
  },
  {
    usage: 'explain <fqn>',
    summary: 'tell why the changes of an asset are, or are not, written back',
    example: 'backflow explain pg_sales.shop.public.orders',
    run: async (call) => (await import('./commands/explain.ts')).explain(call),
  },
  {
    usage: 'lanes',
    summary: 'list the lanes: who owns them, how far behind they are, whether their target can be written to',
    example: 'backflow lanes',
    run: async (call) => (await import('./commands/lanes.ts')).lanes(call),
  },
  {
    usage: 'members',
    summary: 'list the replicas: since when they run, when they were last heard of, how many lanes they have',
    example: 'backflow members',
    run: async (call) => (await import('./commands/members.ts')).members(call),
  },
  {
    usage: 'pause [target]',
    summary: 'stop writing to a target, or what a channel writes; the changes wait',
    example: 'backflow pause pg_sales --reason "maintenance until noon"',
    options: [CHANNEL, ['--reason <text>', 'kept with the pause, for whoever looks at it']],
    run: async (call) => (await import('./commands/pause.ts')).pause(call),
  },
  {
    usage: 'resume [target]',
    summary: 'go on writing to a paused target, or what a paused channel writes',
    example: 'backflow resume pg_sales',
    options: [CHANNEL],
    run: async (call) => (await import('./commands/resume.ts')).resume(call),
  },
  {
    usage: 'release <channel>',
    summary: 'let a channel clear what its guard holds back; look at it first (backflow lanes, backflow explain)',
    example: 'backflow release docs --target pg_sales',
    options: [['--target <service>', 'only on this target']],
    run: async (call) => (await import('./commands/release.ts')).release(call),
  },
  {
    usage: 'reconciled <target>',
    summary: 'say that a target was compared with the catalogue after changes were lost; clears the mark in lanes',
    example: 'backflow reconciled pg_sales',
    run: async (call) => (await import('./commands/reconciled.ts')).reconciled(call),
  },
  {
    usage: 'list',
    group: 'dlq',
    summary: 'list dead letters, newest first',
    example: 'backflow dlq list --group',
    options: [TARGET, LIMIT, ['--group', 'one row for each target, channel and cause, with a count']],
    run: async (call) => (await import('./commands/dlq-list.ts')).dlqList(call),
  },
  {
    usage: 'show <letter>',
    group: 'dlq',
    summary: 'show one dead letter whole, by its sequence or id',
    example: 'backflow dlq show 17',
    run: async (call) => (await import('./commands/dlq-show.ts')).dlqShow(call),
  },
  {
    usage: 'replay [letters...]',
    group: 'dlq',
    summary: 'try dead letters again, each as a new change; the letter is removed once that is stored',
    example: 'backflow dlq replay --all --target pg_sales --yes',
    options: [
      ['--all', 'all letters (of the target)'],
      TARGET,
      ['--yes', 'with --all: do it instead of printing the count'],
      ['--keep', 'leave the letters where they are'],
    ],
    run: async (call) => (await import('./commands/dlq-replay.ts')).dlqReplay(call),
  },
  {
    usage: 'discard <letters...>',
    group: 'dlq',
    summary: 'remove dead letters for good; who, when and why is kept',
    example: 'backflow dlq discard 17 --reason "the table was dropped"',
    options: [['--reason <text>', 'why they are not needed (required)']],
    run: async (call) => (await import('./commands/dlq-discard.ts')).dlqDiscard(call),
  },
];
