import { type Id, newId, type OrganizationId, type PrincipalId, type TrailId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { after, type Clock, type Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { entryWrite } from '#shared/series/series.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import type { EventRepo } from '../rules/events.ts';
import { FIRST_PREVIOUS } from '../rules/hash-chain.ts';
import type { Template } from '../rules/template.ts';
import { applyMoment, EMPTY_TRAIL, type MomentKind, type SlotChange, type TrailState } from '../rules/trail-state.ts';
import { trailWord } from '../rules/verdict.ts';
import { newFlowWrites } from './flow-writes.ts';
import type { FlowHead } from './flows.ts';
import { momentKey, trailCommitKey, trailFieldsKey, trailPartition, trailPastFieldsKey } from './keys.ts';
import { sealMoment } from './moments.ts';
import { headItem, repoItem, slotItems, type TrailHead } from './trail-items.ts';
import { readSituation, type Situation } from './trails.ts';

/** One moment to be, as the rules decided it; number, time and hash are given when it is committed. */
export interface Draft<R = never> {
  kind: MomentKind;
  changes: SlotChange[];
  /** A new template of the trail's own, by digest; given whole, since it is not kept yet. */
  ownTemplate?: { digest: string; template: Template };
  /** The trail's own fields after this moment, with the version that they replace. */
  fields?: { digest: string; body: PreparedBody; replaced: ReplacedFields | null };
  /** The commit that the report names: {@link namedCommit} makes it from its JSON text. */
  commit?: NamedCommit;
  repo?: EventRepo;
  /** The record that the moment is about, with the commitment to what it says. */
  record?: { id: Id; pledge: Uint8Array };
  /** What the trail's list of events shows beside the changes. */
  show?: Record<string, unknown>;
  /** What else is written with it, once number and time are known. */
  writes?: (stamp: Stamp) => Write<R>[];
}

/** A commit as the trail keeps it, once per distinct text, for its list of events. */
export interface NamedCommit {
  digest: string;
  body: PreparedBody;
}

export function namedCommit(objects: Objects, org: OrganizationId, text: string): NamedCommit {
  const digest = sha256Hex(text).slice(0, 32);
  return { digest, body: prepareBody(objects, org, text, `commit:${digest}`) };
}

export interface ReplacedFields {
  digest: string;
  number: number;
  body: unknown;
}

/** Where and when a moment came to be. */
export interface Stamp {
  at: Micros;
  number: number;
  flow: FlowHead;
  trail: { id: TrailId; name: string };
  /** Sort key for entries of time series: minted anew on every attempt. */
  entry: Id;
}

export interface Plan<R> {
  /** No drafts: the trail does not change. */
  drafts: Draft<R>[];
  /** Independent of the moments: repositories, shared bodies, the idempotency claim. */
  writes?: Write<R>[];
  /** What must be in the bucket before the transaction; called again when the plan is made again. */
  upload?: () => Promise<unknown>;
}

export interface Author {
  id: PrincipalId;
  name: string;
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
 * Changes a trail: reads it, lets `decide` plan moments, and commits all or nothing, conditional on the trail's last
 * number. A writer that loses the race reads again and decides anew (design §2.3). Flow and trail are made where they
 * are missing, a new trail with its first moment (semantics §3.1, §9).
 * @returns `done`, or what a refused write of the plan said
 */
export async function commitToTrail<R>(
  commit: Commit,
  target: { flow: string; trail: string },
  decide: (situation: Situation) => Promise<Plan<R>>,
  options: { fields?: boolean } = {},
): Promise<'done' | R> {
  return retrying(async (): Promise<'done' | 'again' | R> => {
    const situation = await readSituation(commit.table, commit.objects, commit.org, target, options);
    const plan = await decide(situation);
    // Nothing of the trail changed; what is independent of it may have.
    if (plan.drafts.length === 0) return plan.writes?.length ? commit.table.transact<R>(plan.writes) : 'done';
    await plan.upload?.();
    const writes = await trailWrites(commit, target, situation, plan.drafts);
    return commit.table.transact<R | 'again'>([...writes, ...(plan.writes ?? [])]);
  });
}

/** A trail that a report brings to life begins with a moment of its own (semantics §9). */
const BEGUN: Draft = { kind: 'trail_reported', changes: [] };

async function trailWrites<R>(
  commit: Commit,
  target: { flow: string; trail: string },
  situation: Situation,
  drafts: Draft<R>[],
): Promise<Write<R | 'again'>[]> {
  const { org, clock, author } = commit;
  const now = clock.now();
  const created = situation.flow
    ? { head: situation.flow, writes: [] }
    : newFlowWrites(org, { name: target.flow, at: now, by: author.name }, again);
  const flow = created.head;
  const before = situation.trail;
  const trail = before?.head ?? { id: newId(now), name: target.trail };
  const partition = trailPartition(org, flow.id, target.trail);
  const all: Draft<R>[] = before || drafts[0]?.kind === 'trail_reported' ? drafts : [BEGUN, ...drafts];

  const writes: Write<R | 'again'>[] = [...created.writes];
  let state: TrailState = before?.state ?? EMPTY_TRAIL;
  let last = before
    ? { hash: before.head.hash, word: before.head.word, commit: before.head.commit }
    : { hash: FIRST_PREVIOUS, word: 'COMPLIANT' as const, commit: null };
  let begun = before?.head.created;
  for (const draft of all) {
    const at = after(state.at || undefined, clock.now());
    begun ??= at;
    const ownTemplate = draft.ownTemplate?.digest ?? state.ownTemplate;
    const template = ownTemplate ?? flow.template;
    const fields = draft.fields?.digest ?? state.fields;
    state = applyMoment(state, { kind: draft.kind, at, template, ownTemplate, fields, changes: draft.changes });
    const word = trailWord(state, draft.ownTemplate?.template ?? (await commit.loadTemplate(template)));
    const sha = draft.commit?.digest ?? null;
    const moment = sealMoment({ org, flow: flow.id, trail, number: state.number, at, previous: last.hash }, draft, {
      ...{ changes: draft.changes, template, ownTemplate, fields, word, by: author },
      ...(sha !== null && { commit: sha }),
      ...(draft.repo && { repo: draft.repo.inner_id }),
      ...(draft.show && { show: draft.show }),
    });
    const stamp = { at, number: state.number, flow, trail, entry: newId(at) };
    writes.push({ put: { ...momentKey(org, flow.id, target.trail, state.number), v: 1, ...moment } });
    if (draft.commit && sha !== null && sha !== last.commit) {
      const { body } = draft.commit;
      writes.push({ put: { ...trailCommitKey(partition, sha), v: 1, body: body.body } }, ...body.writes);
    }
    writes.push(
      ...fieldsWrites(partition, draft, state.number),
      ...newRepoWrites(partition, draft, state.number),
      ...(draft.kind === 'trail_reported' ? trailEntries(org, stamp) : []),
      ...(draft.writes?.(stamp) ?? []),
    );
    last = { hash: moment.hash, word, commit: sha ?? last.commit };
  }
  const { number, at, template, templateAt, ownTemplate, fields } = state;
  const head: TrailHead = {
    ...{ id: trail.id, name: trail.name, number, at, template, templateAt, ownTemplate, fields, ...last },
    ...{ created: begun ?? at, by: before?.head.by ?? author.name },
  };
  const changes = all.flatMap((draft) => draft.changes);
  writes.push(
    ...slotItems(partition, state, changes).map((put) => ({ put })),
    headWrite(partition, before?.head, head),
  );
  return writes;
}

/** The head goes over the very one that was read: whoever wrote in between makes this writer decide anew. */
const headWrite = (partition: string, before: TrailHead | undefined, head: TrailHead): Write<'again'> =>
  before
    ? {
        put: headItem(partition, head),
        ConditionExpression: '#number = :number',
        ExpressionAttributeNames: { '#number': 'number' },
        ExpressionAttributeValues: { ':number': before.number },
        refused: again,
      }
    : putIfAbsent(headItem(partition, head), again);

/** The present fields are replaced; what they were stays under the number from which they held. */
function fieldsWrites(partition: string, { fields }: Pick<Draft, 'fields'>, number: number): Write[] {
  if (!fields) return [];
  const { digest, body, replaced } = fields;
  return [
    { put: { ...trailFieldsKey(partition), v: 1, digest, number, body: body.body } },
    ...(replaced ? [{ put: { ...trailPastFieldsKey(partition, replaced.number), v: 1, ...replaced } }] : []),
    ...body.writes,
  ];
}

const newRepoWrites = (
  partition: string,
  { repo, changes }: Pick<Draft, 'repo' | 'changes'>,
  number: number,
): Write[] => (repo && changes.some(({ kind }) => kind === 'repo') ? [{ put: repoItem(partition, repo, number) }] : []);

function trailEntries(org: OrganizationId, { entry, flow, trail }: Stamp): Write[] {
  const attributes = { f: flow.id, t: trail.name };
  return [entryWrite(org, 'trails', entry, attributes), entryWrite(org, `trails:${flow.id}`, entry, attributes)];
}
