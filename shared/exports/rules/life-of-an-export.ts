import { type Duration, type Micros, plus } from '#shared/base/time.ts';

/** How long archive and record of an export are kept after its start, in days (rules/exports.md#kept). */
export const EXPORT_KEPT_DAYS = 7;
const KEPT_MICROS: Duration = EXPORT_KEPT_DAYS * 24 * 3600 * 1_000_000;

/** How long an export waits for a checkpoint that meets the policy of witnesses. They are asked once a minute. */
export const WAIT_MICROS: Duration = 300_000_000;

interface Started {
  started: Micros;
}

export const expiryOf = ({ started }: Started): Micros => plus(started, KEPT_MICROS);

/** Whether an export can still be downloaded. The database removes its record some time later. */
export const isKept = (record: Started, now: Micros): boolean => now < expiryOf(record);

export const waitsUntil = ({ started }: Started): Micros => plus(started, WAIT_MICROS);

export const isPinned = <R extends { log: object | null }>(record: R): record is R & { log: NonNullable<R['log']> } =>
  record.log !== null;

interface Named {
  id: string;
  name: string;
  log: { size: number };
  scope?: { type: string } | undefined;
}

/**
 * The folder in an archive, and the name of its file without ending. Two packages of the same size can be about different records,
 * so their names have the end of their id.
 */
export const archiveName = ({ id, name, log, scope }: Named): string =>
  scope ? `${name}-${scope.type}-${id.slice(-8)}-${log.size}` : `${name}-${log.size}`;
