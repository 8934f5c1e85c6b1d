import type { reapplyEnds } from '#shared/restore/reapply-ends.ts';
import type { End, OpenEnd } from '#shared/restore/report.ts';
import { instantText } from './instant.ts';

export type ReapplyEnds = typeof reapplyEnds;

/** Returns the line of a report about an end. */
export function endText(end: End | OpenEnd): string {
  const { organization, kind, name, at, by } = end;
  const where = organization === null ? '' : `${organization}: `;
  const who = by === null ? '' : ` by ${by}`;
  const when = at === null ? '' : ` at ${instantText(at)}`;
  const line = `${where}${kind} '${name}'${who}${when}`;
  return 'reason' in end ? `not applied again: ${line}. ${end.reason}` : line;
}
