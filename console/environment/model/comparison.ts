import { nameWithoutTag, shortName } from '#shared/base/reasons/artifact-name.ts';
import { count } from '../../model/words.ts';
import type { SnapshotDiff } from '../operations.ts';

type Counted = SnapshotDiff['snappish1']['artifacts'][number];

/** An artifact on one side of a comparison. */
export interface Side {
  fingerprint: string;
  name: string;
  flow: string | null;
  commitUrl: string | null;
  instances: number;
}

/** Another version of the same image, or other instances of the same artifact. */
export interface Changed {
  name: string;
  before: Side;
  after: Side;
}

interface Comparison {
  onlyFirst: Side[];
  changed: Changed[];
  onlySecond: Side[];
  same: Side[];
}

const sideOf = (artifact: Omit<Counted, 'instance_count'>, instances: number): Side => ({
  fingerprint: artifact.fingerprint,
  name: artifact.name,
  flow: artifact.flow,
  commitUrl: artifact.commit_url,
  instances,
});

/** Pairs artifacts that stand on one side only and have the same name without the tag: these changed their version. */
export function comparisonOf(diff: SnapshotDiff): Comparison {
  const first = diff.snappish1.artifacts.map((one) => sideOf(one, one.instance_count));
  const second = diff.snappish2.artifacts.map((one) => sideOf(one, one.instance_count));
  const left = new Set(second);
  const changed: Changed[] = [];
  const onlyFirst: Side[] = [];
  const waiting = Map.groupBy(second, ({ name }) => nameWithoutTag(name));
  for (const before of first) {
    const after = waiting.get(nameWithoutTag(before.name))?.shift();
    if (after) {
      left.delete(after);
      changed.push({ name: shortName(nameWithoutTag(before.name)), before, after });
    } else onlyFirst.push(before);
  }
  const scaled = diff.changed.artifacts.map((one) => ({
    name: shortName(one.name),
    before: sideOf(one, one.s1_instance_count),
    after: sideOf(one, one.s2_instance_count),
  }));
  return {
    onlyFirst,
    changed: [...changed, ...scaled],
    onlySecond: [...left],
    same: diff['not-changed'].artifacts.map((one) => sideOf(one, one.instance_count)),
  };
}

/** What a comparison says first. */
export function comparisonSentence(
  { onlyFirst, changed, onlySecond, same }: Comparison,
  one: string,
  other: string,
): string {
  if (onlyFirst.length + changed.length + onlySecond.length === 0) {
    return same.length === 0
      ? `Nothing runs in ${one}, and nothing runs in ${other}.`
      : `${one} and ${other} run the same ${count(same.length, 'artifact')}.`;
  }
  const parts = [
    changed.length > 0 && `${count(changed.length, 'artifact')} changed`,
    onlyFirst.length > 0 && `${onlyFirst.length} only in ${one}`,
    onlySecond.length > 0 && `${onlySecond.length} only in ${other}`,
    `${same.length} the same`,
  ].filter((part) => part !== false);
  return `${one} and ${other} differ: ${parts.join(', ')}.`;
}

/** What a link to a commit shows: the beginning of its number, if the address ends with one. */
export const commitLabel = (url: string): string => /\/([0-9a-f]{7,64})\/?$/i.exec(url)?.[1]?.slice(0, 8) ?? 'commit';

/** The environment and the expression in `prod#12`, `prod~3`, `prod@{…}` or `prod`. */
export function partsOfSnappish(text: string): { env: string; expression: string } {
  const [, env = text, mark = ''] = /^([^#~@]+)(.*)$/.exec(text) ?? [];
  if (mark === '') return { env, expression: '-1' };
  return { env, expression: mark.startsWith('#') ? mark.slice(1) : mark };
}
