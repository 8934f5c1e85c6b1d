import type * as z from 'zod';
import type { Services } from '#functions/services.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Principals } from '#shared/callers/principals.ts';
import type { StageLimits } from '#shared/callers/request-limits.ts';

/** Answer of a command to the operator: the result, or the reason in one sentence why the command was refused. */
export type OperatorResult = { ok: true; message: string; [fact: string]: unknown } | { ok: false; message: string };

export interface OperatorServices
  extends Pick<Services, 'table' | 'objects' | 'clock' | 'keys' | 'origin' | 'principals'> {
  /** What exports stored in the bucket; erasures remove it. */
  files: ExportFiles;
  /** No organization gets limits above those of the stage. Absent on one machine that limits nobody. */
  limits?: StageLimits | undefined;
}

export interface CommandServices extends OperatorServices {
  directory: Pick<Principals, 'organization'>;
}

export interface Command<S extends z.ZodObject = z.ZodObject> {
  name: string;
  schema: S;
  /** Whether the command changes nothing, or is meant for maintenance. All others are refused then. */
  runsInMaintenance?: true;
  run(input: z.output<S>, services: CommandServices): Promise<OperatorResult>;
}

/**
 * Defines a command. Its `run` gets the input as the schema's type. The returned type does not show the schema, so that
 * all commands fit into one table.
 */
export const command = <S extends z.ZodObject>(definition: Command<S>): Command => definition as unknown as Command;

export const refused = (message: string): OperatorResult => ({ ok: false, message });
export const done = (message: string, facts: Record<string, unknown> = {}): OperatorResult => ({
  ok: true,
  message,
  ...facts,
});
