import * as z from 'zod';

const COMPARISON = /^\$\.(\w+) = ("(?:[^"\\*]|\\.)*")$/;

const LogEvent = z.record(z.string(), z.unknown());

/**
 * Whether a metric filter of CloudWatch Logs counts a stored line. A line that is not a JSON object is never counted.
 *
 * @param pattern comparisons of a field with a text, joined by `||`: the only form that our filters have
 * @throws Error for a pattern of another form
 */
export function isCounted(pattern: string, line: string): boolean {
  const comparisons = parsePattern(pattern);
  const event = parseEvent(line);
  return event !== undefined && comparisons.some(([field, value]) => event[field] === value);
}

function parsePattern(pattern: string): [field: string, value: string][] {
  const [, inner] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  const parts = inner?.startsWith('(') ? inner.slice(1, -1).split(') || (') : [inner ?? ''];
  return parts.map((part) => {
    const [, field, value] = COMPARISON.exec(part) ?? [];
    if (field === undefined || value === undefined) throw new Error(`isCounted() cannot read the pattern ${pattern}`);
    return [field, JSON.parse(value) as string];
  });
}

function parseEvent(line: string): Record<string, unknown> | undefined {
  try {
    return LogEvent.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
