import { publishEvents } from '../../service/publish-events.ts';
import { readEventsFile } from '../../service/read-events.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { clip, printable } from '../output.ts';
import { commandPublisher } from '../publisher.ts';
import { readInput } from '../read-input.ts';

/** `backflow publish`: all events of the file, or none when one of them cannot be read. */
export async function publish({ output, args }: CommandCall): Promise<ExitCode> {
  const [path = '-'] = args;
  const { events, problems } = readEventsFile(await readInput(path));
  if (problems.length > 0) {
    output.answer({ ok: false, problems, events: [] }, () =>
      [...problems.map((problem) => `${path}: ${printable(problem)}`), 'nothing was published'].join('\n'),
    );
    return EXIT.problems;
  }
  const published = await withNats('write', (link) => publishEvents(commandPublisher(link), events));
  output.answer({ ok: true, problems: [], events: published }, () =>
    published
      .map(({ eventId, asset, result, subject, sequence, reason }) => {
        const where =
          subject === undefined ? (reason ?? '') : `${clip(asset ?? '', 80)} on ${subject} (message ${sequence})`;
        return `${result.padEnd(11)} ${clip(eventId, 64)}  ${where}`;
      })
      .join('\n'),
  );
  return EXIT.ok;
}
