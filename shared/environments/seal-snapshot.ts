import { after, type Micros } from '#shared/base/time.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { complianceCount } from '#shared/policies/rules/verdicts.ts';
import type { Appended } from '#shared/table/idempotency.ts';
import { putIfAbsent, type Write, withRequest } from '#shared/table/table.ts';
import { runningRows, type SnapshotDraft } from './next-content.ts';
import { sealLink } from './records/chain.ts';
import { entryUpdate, freshnessChange, type HeadChanges, headWrites } from './records/environment-head.ts';
import type { EnvironmentEntry, EnvironmentHead } from './records/environment-records.ts';
import { snapshotContentKey, snapshotKey, snapshotStateKey, snapshotTimeKey } from './records/keys.ts';
import { rememberContent } from './records/snapshots.ts';
import { contentText } from './rules/content-text.ts';
import { knownAfter } from './rules/transitions.ts';

interface SealedSnapshot<R> {
  index: number;
  at: Micros;
  hash: Uint8Array;
  /** The snapshot as a link of its chain. */
  appended: Appended;
  writes: Write<R>[];
  /** What the snapshot changes in the catalogue entry. */
  entry: Pick<EnvironmentEntry, 'c' | 's' | 'f'>;
  /** Uploads the content if it is too large for the table. To be called before the transaction. */
  upload(): Promise<void>;
  /** Keeps the content in memory for the next report. To be called after the transaction. */
  remember(): void;
}

/** Changes that the transaction of the snapshot writes as well. */
interface ExtraChanges {
  settings?: HeadChanges['settings'];
  /** Changes of the catalogue entry, besides the time of the newest snapshot. `apart`: the caller writes the entry. */
  entry?: Partial<EnvironmentEntry> | 'apart';
}

/**
 * Prepares the snapshot that follows on the newest one of `head`. Its writes succeed only if neither settings nor
 * snapshots have changed since the head was read (rules/environments.md#numbers-and-time). The head's mark becomes the
 * evaluated mark, since it was read before the evidence (rules/environments.md#unchanged-report).
 * @param again the outcome if another writer was first, or if the environment was archived
 */
export function sealSnapshot<R>(
  { objects, clock }: Pick<Stores, 'objects' | 'clock'>,
  { id: org }: Pick<Organization, 'id'>,
  head: EnvironmentHead,
  draft: SnapshotDraft,
  again: () => R,
  { settings, entry }: ExtraChanges = {},
): SealedSnapshot<R> {
  const environment = head.id;
  const index = head.index + 1;
  const at = after(head.at || undefined, clock.now());
  const content = prepareBody(objects, org, contentText(draft.content), `snapshot:${environment}:${index}`);
  const { state, compliant, events, digest } = draft;
  const counts = draft.counts === undefined ? complianceCount(verdictsOf(draft)) : draft.counts;
  const summary = { name: head.name, state, known: head.known, compliant, events, eventsBefore: head.events };
  const link = sealLink({ org, environment, number: index, at }, summary, content.commitment, head.hash);
  const fresh = freshnessChange(head, draft.freshUntil);
  const turns = index === 1 || state !== head.state;
  const shown = { c: at, s: state, ...fresh.entry };
  const snapshot = {
    index,
    at,
    digest,
    hash: link.hash,
    state,
    since: turns ? at : head.since,
    known: knownAfter(head.known, state),
    counts,
    events: head.events + events,
    evaluatedMark: head.mark,
    evaluatedAt: at,
    ...fresh.snapshot,
  };
  return {
    index,
    at,
    hash: link.hash,
    appended: { first: index, hashes: [link.hash] },
    writes: [
      ...headWrites(org, head, { ...(settings && { settings }), snapshot }, again),
      withRequest(putIfAbsent({ ...snapshotKey(org, environment, index), v: 1, ...link })),
      putIfAbsent({ ...snapshotContentKey(org, environment, index), v: 1, body: content.body }),
      putIfAbsent({ ...snapshotTimeKey(org, environment, at), v: 1, index }),
      ...(turns
        ? [putIfAbsent<R>({ ...snapshotStateKey(org, environment, at), v: 1, index, at, state, was: head.state })]
        : []),
      ...(entry === 'apart' ? [] : [entryUpdate(org, environment, { ...entry, ...shown }, again)]),
      ...content.writes,
    ],
    entry: shown,
    upload: () => content.upload(),
    remember: () => rememberContent(org, content, draft.content),
  };
}

const verdictsOf = ({ content }: SnapshotDraft) => runningRows(content).map(({ compliant }) => compliant);
