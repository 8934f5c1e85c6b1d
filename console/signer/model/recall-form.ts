import { instantText, NO_INSTANT, readInstant } from '../../parts/form/model/instants.ts';
import type { Recall } from '../operations.ts';

/** What the form of a recall holds, and the request that comes of it. */

/** What can be recalled: the fields of a request, of which it has one. */
export const WHATS = [
  ['signer', 'a signer: everything that it signed'],
  ['run', 'a run: everything that it signed'],
  ['builder', 'a builder: everything that names it as the builder'],
  ['root', 'a trust root: everything that was verified with it'],
  ['key', 'a public key: everything that it verified'],
  ['bundles', 'single bundles'],
] as const;
type What = (typeof WHATS)[number][0];

/** What a new recall can begin with. */
export type Beginning = Partial<Pick<Recall, What>>;

type Values = Readonly<
  Record<'signer' | 'run' | 'builder' | 'root' | 'version' | 'key' | 'from' | 'until' | 'reason', string>
> & { what: What; bundles: readonly string[] };

const NAMES: ReadonlySet<string> = new Set(WHATS.map(([what]) => what));

export const whatOf = (given: Beginning): What => WHATS.find(([what]) => given[what] != null)?.[0] ?? 'signer';

/** A time as the form shows it. */
export const timeText = (at: number | null | undefined): string => (at == null ? '' : instantText(at));

/** Whether the form has a field. */
export const hasField = (what: What, field: string): boolean =>
  field === 'version' ? what === 'root' : !NAMES.has(field) || field === what;

/** Finds the field for an error. */
export const errorPlace = (error: string): { field: string } | undefined =>
  error === 'root.version' ? { field: 'version' } : undefined;

/** What the service would refuse in other words, because the form translates it. */
export const checkValues = ({ what, version, from, until }: Values): Record<string, string> => ({
  ...(what === 'root' && !/^\d{0,9}$/.test(version.trim()) && { version: 'Write the number of a version.' }),
  ...(from.trim() !== '' && readInstant(from) === null && { from: NO_INSTANT }),
  ...(until.trim() !== '' && readInstant(until) === null && { until: NO_INSTANT }),
});

/** An instant that nobody changed stays as it is: its text has only milliseconds. */
const secondsOf = (text: string, before: number | null | undefined): number | null =>
  before != null && text === instantText(before) ? before : readInstant(text);

/**
 * Returns the body of the request.
 * @param before the recall that the form changes
 */
export function bodyOf(values: Values, before: Partial<Pick<Recall, 'from' | 'until'>> = {}) {
  const { what, root, version, bundles, from, until, reason } = values;
  const period = { from: secondsOf(from, before.from), until: secondsOf(until, before.until) };
  const rest = { ...period, reason: reason.trim() };
  if (what === 'bundles') return { ...rest, bundles: [...bundles] };
  if (what !== 'root') return { ...rest, [what]: values[what].trim() };
  return { ...rest, root: { name: root.trim(), version: version.trim() === '' ? null : Number(version) } };
}
