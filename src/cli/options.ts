import { z } from 'zod';
import { suggestion } from '../config/did-you-mean.ts';
import { UsageError } from './exit.ts';

/** The options of a call as values. Throws `UsageError` that names the option. */
export function readOptions<T>(schema: z.ZodType<T>, options: Readonly<Record<string, unknown>>): T {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${name}: ${issue?.message ?? 'is wrong'}`);
}

/** `--limit`, a whole number from 1 on. */
export function limitOption(fallback: number): z.ZodType<number> {
  return z
    .string()
    .refine((text) => /^[1-9]\d{0,5}$/.test(text), 'must be a whole number from 1 to 999999')
    .transform(Number)
    .default(fallback);
}

/** A word of a fixed list; anything else is answered with the word that was probably meant. */
export function wordOption<Word extends string>(words: readonly Word[]): z.ZodType<Word | undefined> {
  return z
    .string()
    .transform((text, context): Word => {
      const found = words.find((word) => word === text);
      if (found !== undefined) return found;
      const message = `there is no ${JSON.stringify(text)}; ${suggestion(text, words, 'known')}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional();
}

/** The value of an option that a command cannot do without. */
export function required(value: string | undefined, flag: string, why: string): string {
  if (value === undefined || value.trim() === '') throw new UsageError(`${flag} is missing: ${why}`);
  return value;
}
