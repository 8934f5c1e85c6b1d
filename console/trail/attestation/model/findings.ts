import { count, listed } from '../../../model/words.ts';
import { fieldOf, isFields, numberOf, objectsOf, textOf } from './fields.ts';

export const SEVERITIES = ['high', 'medium', 'low'] as const;
type Severity = (typeof SEVERITIES)[number];

/** Something that a scan found. */
export interface Scanned {
  severity: Severity;
  id: string;
  message: string | null;
  /** `src/a.ts, lines 4-9`. */
  places: readonly string[];
  /** A higher number is more urgent. */
  score: number | null;
  /** Address with more about it, as it was reported. */
  link: string | null;
}

export interface ScanView {
  sentence: string;
  tool: string | null;
  /** The most severe first; of the same severity, the most urgent first. */
  found: Scanned[];
  /** Says how many findings are counted and not listed; empty if all are listed. */
  unlisted: string;
}

/** Returns the view of a vulnerability scan; null if it has another form than the one that clients send. */
export function scanView(attestation: unknown): ScanView | null {
  const scan = fieldOf(attestation, 'snyk_results');
  const results = objectsOf(scan, 'results');
  if (results === null) return null;
  const found = results.flatMap((result) =>
    SEVERITIES.flatMap((severity) => (objectsOf(result, severity) ?? []).map((one) => scannedOf(severity, one))),
  );
  const counted = SEVERITIES.map((severity) => {
    const listedHere = found.filter((one) => one.severity === severity).length;
    const stated = results.reduce((all, result) => all + (numberOf(result, `${severity}_count`) ?? 0), 0);
    return { severity, number: Math.max(stated, listedHere), missing: Math.max(0, stated - listedHere) };
  });
  const missing = counted.filter((one) => one.missing > 0);
  return {
    sentence: severitySentence(counted, results.length),
    tool: toolText(fieldOf(scan, 'tool')),
    found: found.toSorted(byUrgency),
    unlisted:
      missing.length === 0
        ? ''
        : `The report counts ${listed(missing.map((one) => `${one.missing} more of ${one.severity} severity`))} without listing them.`,
  };
}

/** Joins findings to links and texts that a scan file states about their rules. */
export const withRules = (
  found: readonly Scanned[],
  rules: ReadonlyMap<string, { link: string | null; title: string | null }>,
): Scanned[] =>
  found.map((one) => {
    const rule = rules.get(one.id);
    return rule ? { ...one, link: one.link ?? rule.link, message: one.message ?? rule.title } : one;
  });

export function severitySentence(counted: readonly { severity: string; number: number }[], parts: number): string {
  const some = counted.filter(({ number }) => number > 0);
  const all = some.reduce((sum, { number }) => sum + number, 0);
  const scanned = parts > 1 ? ` in ${count(parts, 'scanned part')}` : '';
  if (all === 0) return `The scan found nothing${scanned}.`;
  return `The scan found ${count(all, 'problem')}${scanned}: ${listed(
    some.map(({ severity, number }) => `${number.toLocaleString('en')} of ${severity} severity`),
  )}.`;
}

export const byUrgency = (one: Scanned, other: Scanned): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) || (other.score ?? 0) - (one.score ?? 0);

function scannedOf(severity: Severity, one: unknown): Scanned {
  return {
    severity,
    id: textOf(one, 'id') ?? 'without an id',
    message: textOf(one, 'message'),
    places: (objectsOf(one, 'locations') ?? []).flatMap((place) => placeText(place) ?? []),
    score: numberOf(one, 'priority_score'),
    link: textOf(one, 'url') ?? textOf(one, 'link'),
  };
}

function placeText(place: unknown): string | null {
  const [uri, lines] = [textOf(place, 'uri'), fieldOf(place, 'lines')];
  if (uri === null) return null;
  return typeof lines === 'string' || typeof lines === 'number' ? `${uri}, line ${lines}` : uri;
}

export function toolText(tool: unknown): string | null {
  if (!isFields(tool)) return null;
  const parts = [textOf(tool, 'name'), textOf(tool, 'version')].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' ');
}
