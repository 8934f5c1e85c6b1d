import type * as z from 'zod';
import type { Services } from '#shared/http/services.ts';
import type { Directory } from '#shared/organizations/records/directory.ts';

/** What a command says to the operator: its outcome, or in one sentence why there is none. */
export type OperatorResult = { ok: true; message: string; [fact: string]: unknown } | { ok: false; message: string };

export interface CommandServices extends Pick<Services, 'table' | 'clock'> {
  directory: Directory;
}

export interface Command<S extends z.ZodObject = z.ZodObject> {
  name: string;
  schema: S;
  run(input: z.output<S>, services: CommandServices): Promise<OperatorResult>;
}

/** A command by its schema; the schema's type ends here, since commands are kept in one table. */
export const command = <S extends z.ZodObject>(definition: Command<S>): Command => definition as unknown as Command;

export const refused = (message: string): OperatorResult => ({ ok: false, message });
export const done = (message: string, facts: Record<string, unknown> = {}): OperatorResult => ({
  ok: true,
  message,
  ...facts,
});
