import type { GoldenAnswer } from './golden-file.ts';

/**
 * What a golden answer and today's answer may differ in. Everything else must be the same, except that objects may have
 * further fields.
 */

/** Parts of texts that no two runs share, with the reason. */
const REPLACED: readonly { pattern: RegExp; by: string; reason: string }[] = [
  {
    pattern: /http:\/\/127\.0\.0\.1:\d+\/evidence\/([^?"\s]*)\?[^"\s]*/g,
    by: 'signed:$1',
    reason: 'the bucket of each run has another port, and the signature contains the time',
  },
];

/** What a run made itself before it asked. */
export interface OwnTraces {
  /** Ids of the API keys with which the run asks. Their lists, and the credential of `GET /user`, name them. */
  keys: readonly string[];
}

type Json = unknown;

/** Returns an answer's body without what differs between any two runs. */
export function normalized(value: Json, traces: OwnTraces): Json {
  if (typeof value === 'string') return normalizedText(value, traces);
  if (Array.isArray(value)) return value.map((one: Json) => normalized(one, traces));
  if (typeof value !== 'object' || value === null) return value;
  const { id } = value as { id?: unknown };
  if (typeof id === 'string' && traces.keys.includes(id)) return 'the key with which the run asks';
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, Json]) => [name, normalized(one, traces)]),
  );
}

function normalizedText(text: string, { keys }: OwnTraces): string {
  const replaced = REPLACED.reduce((left, { pattern, by }) => left.replace(pattern, by), text);
  return keys.reduce((left, key) => left.replaceAll(key, 'the key with which the run asks'), replaced);
}

/**
 * Compares two bodies. Objects of the second may have fields that the first lacks; lists have the same length and order.
 *
 * @returns the first difference as a sentence; undefined if there is none
 */
export function firstDifference(golden: Json, now: Json, place = 'body'): string | undefined {
  if (Array.isArray(golden) && Array.isArray(now)) {
    if (golden.length !== now.length) return `${place} has ${now.length} entries instead of ${golden.length}`;
    return firstOf(golden.map((one: Json, i) => () => firstDifference(one, now[i], `${place}[${i}]`)));
  }
  if (isObject(golden) && isObject(now)) {
    return firstOf(
      Object.entries(golden).map(([name, one]) => () => {
        const inner = `${place}.${name}`;
        return name in now ? firstDifference(one, now[name], inner) : `${inner} is missing; it was ${shown(one)}`;
      }),
    );
  }
  return Object.is(golden, now) ? undefined : `${place} is ${shown(now)} instead of ${shown(golden)}`;
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SHOWN = 120;
const shown = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

/**
 * Compares today's answers with golden ones.
 *
 * @param madeBy `older`: today's objects may have further fields. `newer`: today's objects may lack fields
 * @returns one sentence per request whose answer differs
 */
export function differences(
  release: string,
  golden: readonly GoldenAnswer[],
  today: readonly GoldenAnswer[],
  madeBy: 'older' | 'newer' = 'older',
): string[] {
  return golden.flatMap((before, i) => {
    const now = today[i];
    if (now === undefined) throw new Error(`${before.path} was not asked again`);
    const [more, less] = madeBy === 'older' ? [now.body, before.body] : [before.body, now.body];
    const found =
      firstDifference(before.status, now.status, 'status') ??
      firstDifference(before.type, now.type, 'content-type') ??
      firstDifference(less, more);
    const query = before.query === '' ? '' : `?${before.query}`;
    return found === undefined ? [] : [`${release}: GET ${before.path}${query} as ${before.caller}: ${found}`];
  });
}
