import * as z from 'zod';

const COMPARISON = /^\$\.(\w+) = ("(?:[^"\\*]|\\.)*")$/;

const LogEvent = z.record(z.string(), z.unknown());

/**
 * Whether a metric filter of CloudWatch Logs counts a stored line. A line that is not a JSON object is never counted.
 *
 * @param pattern comparisons of a field with a text, joined by `||` or by `&&`: the only forms that our filters have
 * @throws Error for a pattern of another form
 */
export function isCounted(pattern: string, line: string): boolean {
  const { comparisons, needsAll } = parsePattern(pattern);
  const event = parseEvent(line);
  const isMet = ([field, value]: Comparison) => event?.[field] === value;
  return event !== undefined && (needsAll ? comparisons.every(isMet) : comparisons.some(isMet));
}

type Comparison = [field: string, value: string];

function parsePattern(pattern: string): { comparisons: Comparison[]; needsAll: boolean } {
  const [, inner = ''] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  const needsAll = inner.includes(') && (');
  const parts = inner.startsWith('(') ? inner.slice(1, -1).split(needsAll ? ') && (' : ') || (') : [inner];
  const comparisons = parts.map((part): Comparison => {
    const [, field, value] = COMPARISON.exec(part) ?? [];
    if (field === undefined || value === undefined) throw new Error(`isCounted() cannot read the pattern ${pattern}`);
    return [field, JSON.parse(value) as string];
  });
  return { comparisons, needsAll };
}

function parseEvent(line: string): Record<string, unknown> | undefined {
  try {
    return LogEvent.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
