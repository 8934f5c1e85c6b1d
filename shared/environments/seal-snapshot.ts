import { after, type Micros } from '#shared/base/time.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { putIfAbsent, type Write } from '#shared/table/table.ts';
import { sealLink } from './chain.ts';
import type { SnapshotDraft } from './next-content.ts';
import { entryUpdate, type HeadChanges, headUpdate } from './records/environment-head.ts';
import type { EnvironmentEntry, EnvironmentHead } from './records/environment-records.ts';
import { snapshotContentKey, snapshotKey, snapshotTimeKey } from './records/keys.ts';
import { rememberContent } from './records/snapshots.ts';
import { contentText } from './rules/content.ts';
import { knownAfter } from './rules/transitions.ts';

/** A snapshot made ready: its number, time and hash, what the transaction writes, and the upload before it. */
export interface SealedSnapshot<R> {
  index: number;
  at: Micros;
  hash: Uint8Array;
  writes: Write<R>[];
  /** Puts a content that is too large for the table into the bucket; before the transaction. */
  upload(): Promise<void>;
  /** Once it is stored: spares the next report the reading. */
  remember(): void;
}

/** What changes with the snapshot, in the same transaction. */
export interface Beside {
  settings?: HeadChanges['settings'];
  /** Of the entry in the catalogue, besides the time of the newest snapshot. */
  entry?: Partial<EnvironmentEntry>;
}

/**
 * The next snapshot of an environment, physical or logical: the one after that which `head` names, on condition that
 * neither a snapshot nor settings came in between. The head's mark counts as evaluated: it was read before the evidence
 * (design §5, «The unchanged report»).
 * @param again what it means that another writer was first, or that the environment was archived
 */
export function sealSnapshot<R>(
  { objects, clock }: Pick<Services, 'objects' | 'clock'>,
  { id: org }: Pick<Organization, 'id'>,
  head: EnvironmentHead,
  draft: SnapshotDraft,
  again: () => R,
  { settings, entry }: Beside = {},
): SealedSnapshot<R> {
  const environment = head.id;
  const index = head.index + 1;
  const at = after(head.at || undefined, clock.now());
  const content = prepareBody(objects, org, contentText(draft.content), `snapshot:${environment}:${index}`);
  const { state, compliant, events, digest } = draft;
  const summary = { state, known: head.known, compliant, events, eventsBefore: head.events };
  const link = sealLink({ org, environment, number: index, at }, summary, content.commitment, head.hash);
  const snapshot = {
    ...{ index, at, digest, hash: link.hash, state, known: knownAfter(head.known, state) },
    ...{ events: head.events + events, evaluatedMark: head.mark, evaluatedAt: at },
  };
  return {
    index,
    at,
    hash: link.hash,
    writes: [
      headUpdate(org, head, { ...(settings && { settings }), snapshot }, again),
      putIfAbsent({ ...snapshotKey(org, environment, index), v: 1, ...link }),
      putIfAbsent({ ...snapshotContentKey(org, environment, index), v: 1, body: content.body }),
      putIfAbsent({ ...snapshotTimeKey(org, environment, at), v: 1, index }),
      entryUpdate(org, environment, { ...entry, c: at }, again),
      ...content.writes,
    ],
    upload: () => content.upload(),
    remember: () => rememberContent(org, content.body, draft.content),
  };
}
