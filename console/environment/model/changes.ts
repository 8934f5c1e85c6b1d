import { nameWithoutTag, shortName } from '#shared/base/reasons/artifact-name.ts';
import { type StateName, stateOfVerdict } from '../../model/states.ts';
import { count, listed } from '../../model/words.ts';
import type { EnvironmentChange, EnvironmentChanges } from '../operations.ts';
import { yesterday } from './view.ts';

type Approval = Pick<
  EnvironmentChange['approvals'][number],
  'kind' | 'control' | 'is_compliant' | 'attestation_name' | 'signer'
>;
type Side = NonNullable<EnvironmentChange['after']>;

const DAY = 86_400;
const WEEK = 7 * DAY;

/** An instant as the address has it. A begin of a day is a date, which can be read and cited. */
export function instantText(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('.000Z', 'Z');
}

/** The named begins of a period. @param now seconds */
export const namedBegins = (now: number) => [
  { label: 'Since yesterday', from: instantText(yesterday(now)) },
  { label: 'Since last week', from: instantText(Math.floor(now / DAY) * DAY - WEEK) },
];

/** The artifact of a change as it is now, or as it was if it stopped. */
export const sideOf = ({ before, after }: EnvironmentChange): Side | null => after ?? before;

/** The name of an artifact without registry and tag. */
export const changedName = (change: EnvironmentChange): string => shortName(nameWithoutTag(sideOf(change)?.name ?? ''));

/** A text in which every character is one of a digest says nothing to people. */
const DIGEST = /^(sha256-)?[0-9a-f]{7,64}$/i;

/** What tells versions of an artifact apart: its tag, else its trail, its commit or its fingerprint. */
export function versionOf({ name, fingerprint, trail_name: trail, git_commit: commit }: Side): string {
  const tag = /:([^:/@]+)(@.*)?$/.exec(name)?.[1];
  if (tag !== undefined && !DIGEST.test(tag)) return tag;
  return trail ?? (commit ? commit.slice(0, 7) : null) ?? fingerprint.slice(0, 7);
}

/** `worker 9 → 10`, `worker 10 started`, `worker 2 → 3 instances`. */
export function changeText(change: EnvironmentChange): string {
  const { kind, before, after } = change;
  const name = changedName(change);
  if (before && after) {
    if (kind === 'scaled') return `${name} ${before.instances} → ${count(after.instances, 'instance')}`;
    return kind === 'judged' ? `${name} ${judgedText(before, after)}` : `${name} ${pairText(before, after)}`;
  }
  const side = after ?? before;
  return side ? `${name} ${versionOf(side)} ${after ? 'started' : 'stopped'}` : name;
}

function pairText(before: Side, after: Side): string {
  const [from, to] = [versionOf(before), versionOf(after)];
  return from === to ? `${before.fingerprint.slice(0, 7)} → ${after.fingerprint.slice(0, 7)}` : `${from} → ${to}`;
}

const judgedText = (before: Side, after: Side): string => {
  const words = { 'non-compliant': 'not compliant', compliant: 'compliant', allowed: 'allowed', unknown: 'unknown' };
  return `was ${words[stateOfSide(before)]}, is ${words[stateOfSide(after)]}`;
};

export function stateOfSide({ state, allowed }: Side): 'non-compliant' | 'compliant' | 'allowed' | 'unknown' {
  if (allowed) return 'allowed';
  const word = stateOfVerdict(state);
  return word === 'compliant' || word === 'non-compliant' ? word : 'unknown';
}

/** Who let an artifact through, each once. Decisions against it do not count. */
const allowedBy = ({ approvals }: EnvironmentChange): string[] => [
  ...new Set(approvals.filter(({ is_compliant: isFor }) => isFor).map(({ by }) => by)),
];

/** How somebody let an artifact through. */
export function approvalText({ kind, control, is_compliant: isFor, attestation_name: name, signer }: Approval): string {
  if (kind === 'pull_request') return 'reviewed';
  if (kind === 'allow_list') return 'put it on the allow-list';
  if (kind === 'override') return `overrode ${name ?? ''}${isFor ? '' : ' as not compliant'}`;
  const signed = signer === null ? '' : `, signed by ${signer}`;
  return `${control ?? name ?? 'a control'}: ${isFor ? 'allowed' : 'denied'}${signed}`;
}

/** What the list of changes says first. @param since the begin of the period in words */
export function changesSentence(found: EnvironmentChanges, since: string): string {
  const { totals, changes, total_count: total, before, after, first_snapshot_at: first } = found;
  const verdict = verdictText(before?.state, after?.state);
  const between = found.only_between
    ? ` ${count(found.only_between, 'artifact')} ran only in between and ${found.only_between === 1 ? 'is' : 'are'} gone.`
    : '';
  if (after === null) {
    return first === null
      ? 'Nothing was ever reported here.'
      : 'Nothing had been reported yet at the end of this period.';
  }
  if (total === 0) return `${verdict}Nothing changed since ${since}.${between}`;
  const versions = total - totals.scaled;
  const what = versions === 0 ? 'Only instances changed' : `${count(versions, 'artifact')} changed`;
  const named = listed(changes.filter(({ kind }) => versions === 0 || kind !== 'scaled').map(changeText));
  const people = [...new Set(changes.flatMap(allowedBy))];
  const by = people.length === 0 ? '' : `, allowed by ${listed(people)}`;
  const scaled = versions > 0 && totals.scaled > 0 ? ` ${count(totals.scaled, 'artifact')} scaled.` : '';
  const begun = before === null ? ' The first report came in this period.' : '';
  return `${verdict}${what} since ${since}: ${named}${by}.${scaled}${between}${begun}`;
}

function verdictText(before: boolean | null | undefined, after: boolean | null | undefined): string {
  if (after === false) return before === true ? 'Not compliant now, compliant before. ' : 'Not compliant. ';
  return before === false && after === true ? 'Compliant again. ' : '';
}

/** A change as a lane: what ran before it, and what runs since. */
export function laneOf(change: EnvironmentChange, { from, to }: { from: number; to: number }) {
  const { before, after, at } = change;
  const turn = at ?? (before ? to : from);
  const parts: { from: number; to: number; state: StateName }[] = [
    ...(before ? [{ from, to: turn, state: stateOfSide(before) }] : []),
    ...(after ? [{ from: turn, to, state: stateOfSide(after) }] : []),
  ];
  return parts.filter((part) => part.to > part.from);
}
