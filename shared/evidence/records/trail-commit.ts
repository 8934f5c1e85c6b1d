import { type Id, newId, type OrganizationId, type PrincipalId, preciseId, type TrailId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { canonicalJson, FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { after, type Clock, type Micros } from '#shared/base/time.ts';
import { type PreparedBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { entryWrite } from '#shared/series/series.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { Appended } from '#shared/table/idempotency.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import { putIfAbsent, type Table, type Write, withRequest } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { divideAuthor } from '../rules/moment-texts.ts';
import { hasSignature } from '../rules/recalled.ts';
import type { Template } from '../rules/template.ts';
import {
  applyMoment,
  EMPTY_TRAIL,
  hasAttestation,
  type MomentKind,
  type SlotChange,
  sumOfSlots,
  type TrailState,
} from '../rules/trail-state.ts';
import { trailWord } from '../rules/verdict.ts';
import { commitWrites, type PreparedCommit } from './commit-texts.ts';
import { newFlowWrites } from './flow-writes.ts';
import type { FlowHead } from './flows.ts';
import { momentKey, trailFieldsKey, trailPartition, trailPastFieldsKey } from './keys.ts';
import { sealMoment } from './moments.ts';
import { signedWrites } from './signed-trails.ts';
import { type EventRepo, headItem, repoItem, slotItems, type TrailHead } from './trail-items.ts';
import { readSituation, type Situation, type TrailTarget } from './trails.ts';

/** What a commit to a trail reads and writes: trail, flow, repository and entries of lists. */
export const COMMIT_USES: Uses = {
  writes: ['FLOWNAME', 'FLOW', 'TRAIL', 'MOMENT', 'CATALOGUE', 'SERIES', 'REPO', 'REPOID', 'BODY', 'SIGNED'],
  removes: ['REPO'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** A planned moment. Its number, time and hash are determined when it is committed. */
export interface Draft<R = never> {
  kind: MomentKind;
  changes: SlotChange[];
  /** A new template of the trail's own. It is not stored yet, so the draft holds it as a whole. */
  ownTemplate?: { digest: string; template: Template };
  /** The trail's own fields after this moment, and the version that they replace. */
  fields?: { digest: string; body: PreparedBody; replaced: ReplacedFields | null };
  /** The commit that the report names, from `prepareCommit`. */
  commit?: PreparedCommit;
  repo?: EventRepo;
  /** Seals the record that the moment is about. It needs number and time of the moment. */
  record?: (stamp: Stamp) => SealedRecord<R>;
  /** What the trail's list of events shows besides the changes. */
  show?: Record<string, unknown>;
}

/** A record with the commitments of its moment to it, and the writes that store it in the same transaction. */
interface SealedRecord<R> {
  id: Id;
  commitments: { record: Uint8Array; facts: Uint8Array };
  writes: Write<R>[];
}

/** A past version of the trail's own fields, and the number of the moment that brought it. */
interface ReplacedFields {
  digest: string;
  number: number;
  body: unknown;
}

/** Number, time and place of a moment. */
interface Stamp {
  at: Micros;
  number: number;
  flow: FlowHead;
  trail: { id: TrailId; name: TrailName };
  /** Sort key for entries of time series, minted anew for every attempt. */
  entry: Id;
}

export interface Plan<R> {
  /** Without drafts the trail does not change. */
  drafts: Draft<R>[];
  /** Writes that do not depend on the moments: repositories, shared bodies. */
  writes?: Write<R>[];
  /** Returns the writes of the idempotency claim, given the moments that the plan appends. */
  claim?: (appended?: Appended) => Write<R>[];
  /** Writes bodies to the bucket before the transaction. Runs again if the plan is made again. */
  upload?: () => Promise<unknown>;
}

interface Author {
  id: PrincipalId;
  name: string;
  /** What an issuer proved about the author (rules/identities.md#evidence-says-who). */
  identity?: VerifiedIdentity | undefined;
}

export interface Commit {
  table: Table;
  objects: Objects;
  clock: Clock;
  org: OrganizationId;
  author: Author;
  loadTemplate: (digest: string | null) => Promise<Template>;
}

/**
 * Changes a trail in one transaction (rules/trails.md#one-transaction). It reads the trail, lets `decide` plan moments,
 * and commits them if the trail still has the number that was read. If another writer was first, it reads and decides
 * again (rules/trails.md#lost-races). A missing flow or trail is created (rules/trails.md#created-by-a-report).
 *
 * @param target names or ids of the flow and of the trail; with ids nothing is created
 * @param options `fields` reads the trail's own fields as well
 * @returns `done`, or the outcome of a refused write of the plan
 * @throws Contention if other writers were first for 20 seconds
 */
export async function commitToTrail<R>(
  commit: Commit,
  target: TrailTarget,
  decide: (situation: Situation) => Promise<Plan<R>>,
  options: { fields?: boolean } = {},
): Promise<'done' | R> {
  return retrying(async (): Promise<'done' | 'again' | R> => {
    const situation = await readSituation(commit.table, commit.objects, commit.org, target, options);
    const plan = await decide(situation);
    if (plan.drafts.length === 0) {
      // The trail does not change, but the independent writes may still be needed.
      const writes = [...(plan.writes ?? []), ...(plan.claim?.() ?? [])];
      return writes.length > 0 ? commit.table.transact<R>(writes) : 'done';
    }
    await plan.upload?.();
    const { writes, appended } = await trailWrites(commit, target, situation, plan.drafts);
    return commit.table.transact<R | 'again'>([...writes, ...(plan.writes ?? []), ...(plan.claim?.(appended) ?? [])]);
  });
}

/** The first moment of a trail that a report creates (rules/trails.md#created-by-a-report). */
const TRAIL_CREATED: Draft = { kind: 'trail_reported', changes: [] };

async function trailWrites<R>(
  commit: Commit,
  target: { flow: FlowName; trail: TrailName },
  situation: Situation,
  drafts: Draft<R>[],
): Promise<{ writes: Write<R | 'again'>[]; appended: Appended }> {
  const { org, clock, author } = commit;
  const now = clock.now();
  const created = situation.flow
    ? { head: situation.flow, writes: [] }
    : newFlowWrites(org, { name: target.flow, at: now, by: author.name }, again);
  const flow = created.head;
  const before = situation.trail;
  const trail = before?.head ?? { id: newId(now), name: target.trail };
  const partition = trailPartition(org, flow.id, target.trail);
  const all: Draft<R>[] = before || drafts[0]?.kind === 'trail_reported' ? drafts : [TRAIL_CREATED, ...drafts];

  const writes: Write<R | 'again'>[] = [...created.writes];
  const hashes: Uint8Array[] = [];
  const signed: { at: Micros; changes: readonly SlotChange[] }[] = [];
  let state: TrailState = before?.state ?? EMPTY_TRAIL;
  let last: Pick<TrailHead, 'hash' | 'word' | 'commit' | 'attestations'> = before?.head ?? {
    hash: FIRST_PREVIOUS,
    word: 'COMPLIANT',
    commit: null,
    attestations: 0,
  };
  let begun = before?.head.created;
  for (const draft of all) {
    const at = after(state.at || undefined, clock.now());
    begun ??= at;
    const ownTemplate = draft.ownTemplate?.digest ?? state.ownTemplate;
    const template = ownTemplate ?? flow.template;
    const fields = draft.fields?.digest ?? state.fields;
    state = applyMoment(state, {
      kind: draft.kind,
      at,
      template,
      ownTemplate,
      fields,
      changes: draft.changes,
      by: author,
    });
    const word = trailWord(state, draft.ownTemplate?.template ?? (await commit.loadTemplate(template)));
    const sha = draft.commit?.digest ?? null;
    const attestations = last.attestations + (hasAttestation(draft.changes) ? 1 : 0);
    const stamp = { at, number: state.number, flow, trail, entry: preciseId(at) };
    const record = draft.record?.(stamp);
    const by = divideAuthor(author);
    const moment = sealMoment(
      { org, flow: flow.id, trail, number: state.number, at, previous: last.hash },
      { kind: draft.kind, record, ...(draft.fields && { fields: draft.fields }) },
      {
        lasting: {
          changes: draft.changes,
          template,
          ownTemplate,
          word,
          attestations,
          names: { flow: flow.name, trail: trail.name },
          by: by.lasting,
          ...(isNewRepo(draft) && { repoDigest: sha256Hex(canonicalJson(draft.repo)) }),
        },
        details: {
          by: by.details,
          fields,
          ...(sha !== null && { commit: sha }),
          ...(draft.repo && { repo: draft.repo.inner_id }),
          ...(draft.show && { show: draft.show }),
        },
      },
    );
    writes.push(withRequest({ put: { ...momentKey(org, flow.id, target.trail, state.number), v: 1, ...moment } }));
    if (draft.commit && sha !== last.commit) writes.push(...commitWrites(partition, draft.commit));
    writes.push(
      ...fieldsWrites(partition, draft, state.number),
      ...newRepoWrites(partition, draft, state.number),
      ...(draft.kind === 'trail_reported' ? trailEntries(org, stamp) : []),
      ...(record?.writes ?? []),
    );
    signed.push({ at, changes: draft.changes });
    hashes.push(moment.hash);
    last = { hash: moment.hash, word, commit: sha ?? last.commit, attestations };
  }
  const { number, at, template, templateAt, ownTemplate, fields } = state;
  const head: TrailHead = {
    id: trail.id,
    name: trail.name,
    number,
    at,
    template,
    templateAt,
    ownTemplate,
    fields,
    ...last,
    created: begun ?? at,
    by: before?.head.by ?? author.name,
    slots: sumOfSlots(state),
    ...(hasSignature(state) && { signed: true }),
  };
  const changes = all.flatMap((draft) => draft.changes);
  writes.push(
    ...slotItems(partition, state, changes).map((put) => ({ put })),
    ...signedWrites(org, { flow: flow.id, trail: target.trail }, signed),
    headWrite(partition, before?.head, head),
  );
  return { writes, appended: { first: state.number - hashes.length + 1, hashes } };
}

/**
 * Replaces the head, if the trail still has the number that was read, and no erasure replaced the digests that the head
 * names (rules/erasure.md#erased-trail). Otherwise the outcome is `again`.
 */
const headWrite = (partition: PartitionKey, before: TrailHead | undefined, head: TrailHead): Write<'again'> =>
  before
    ? {
        put: headItem(partition, head),
        ...onlyIf(unchanged(before, 'number', 'fields', 'commit')),
        refused: again,
      }
    : putIfAbsent(headItem(partition, head), again);

/** Replaces the present fields. The past version stays under the number of the moment that brought it. */
function fieldsWrites(partition: PartitionKey, { fields }: Pick<Draft, 'fields'>, number: number): Write[] {
  if (!fields) return [];
  const { digest, body, replaced } = fields;
  return [
    { put: { ...trailFieldsKey(partition), v: 1, digest, number, body: body.body } },
    ...(replaced ? [{ put: { ...trailPastFieldsKey(partition, replaced.number), v: 1, ...replaced } }] : []),
    ...body.writes,
  ];
}

/** Whether the report names a repository that the trail did not have. The trail then keeps the repository as it is now. */
const isNewRepo = ({ repo, changes }: Pick<Draft, 'repo' | 'changes'>): boolean =>
  repo !== undefined && changes.some(({ kind }) => kind === 'repo');

const newRepoWrites = (partition: PartitionKey, draft: Pick<Draft, 'repo' | 'changes'>, number: number): Write[] =>
  draft.repo && isNewRepo(draft) ? [{ put: repoItem(partition, draft.repo, number) }] : [];

/** Returns the writes that list a new trail. @param stamp `entry` is the sort key of the entries */
export function trailEntries(
  org: OrganizationId,
  { entry, flow, trail }: { entry: Id; flow: Pick<FlowHead, 'id'>; trail: Pick<TrailHead, 'name'> },
): Write[] {
  const attributes = { f: flow.id, t: trail.name };
  return [entryWrite(org, 'trails', entry, attributes), entryWrite(org, `trails:${flow.id}`, entry, attributes)];
}
