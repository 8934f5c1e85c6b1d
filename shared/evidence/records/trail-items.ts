import * as z from 'zod';
import { type AttestationId, storedFingerprint, storedId, TrailId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { SlotProof } from '../rules/slot-proof.ts';
import {
  type ArtifactSlot,
  type AttestationSlot,
  artifactSlotKey,
  attestationSlotKey,
  MOMENT_KINDS,
  type Scope,
  type SlotChange,
  type TrailState,
} from '../rules/trail-state.ts';
import { artifactSlotItemKey, attestationSlotItemKey, trailFieldsKey, trailHeadKey, trailRepoKey } from './keys.ts';

/**
 * The items of a trail, and the state that they hold. Attribute names of slots are short, because one read returns
 * hundreds.
 */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/**
 * The head of a trail: verdict word, template, last number, time and hash. It holds nothing that grows
 * (rules/trails.md#trail-head).
 */
export const TrailHead = z.object({
  id: TrailId,
  name: AnyTrailName,
  number: z.number(),
  at: StoredMicros,
  hash: Bytes,
  word: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']),
  template: z.string().nullable(),
  templateAt: StoredMicros,
  ownTemplate: z.string().nullable(),
  fields: z.string().nullable(),
  /** Digest of the commit that was named last. The next report with the same commit does not store it again. */
  commit: z.string().nullable(),
  created: StoredMicros,
  by: z.string(),
  /** Sum of the numbers of all slots. Absent in heads that earlier releases wrote. */
  slots: z.number().optional(),
  /** Number of attestations in the trail. */
  attestations: z.number(),
  /** Present if a slot has a signature: recalls can concern the trail, so lists look whether they do. */
  signed: z.literal(true).optional(),
});
export type TrailHead = z.infer<typeof TrailHead>;

const SlotItem = z.object({
  sk: z.string(),
  /** Id of the latest record. */
  i: z.string(),
  /** Whether the record is compliant. */
  c: z.boolean(),
  /** Id of the overridden attestation. */
  o: z.string().nullish(),
  /** Number and time of the moment that brought the record. */
  n: z.number(),
  at: StoredMicros,
  /** Number of the moment that first filled the slot. */
  f: z.number(),
  /** What an issuer proved about the reporter. Absent for keys without a verified identity. */
  w: ProvenOrigin.optional(),
  /** What is known of the signature. Absent where the grade follows from the author. */
  p: SlotProof.optional(),
});

export const FieldsItem = z.object({ digest: z.string(), number: z.number(), body: StoredBody });
export const isPresentFields = ({ pk, sk }: Key): boolean => sk === trailFieldsKey(pk).sk;
/** Whether an item of a trail holds its own fields, present or past. */
export const isFields = (key: Key): boolean => isPresentFields(key) || key.sk.startsWith('F#');
export const CommitItem = z.object({ body: StoredBody });
/** A repository as the events of a trail show it. */
const EventRepo = z.object({
  inner_id: z.string(),
  /** Id at the provider. */
  repo_id: z.string(),
  name: z.string(),
  url: z.string(),
  provider: z.string().nullable(),
  description: z.string().nullable(),
  created_at: StoredMicros,
  last_modified_at: StoredMicros,
});
export type EventRepo = z.infer<typeof EventRepo>;
/** A repository that reports of the trail named, and the number of the moment that named it first. */
export const RepoItem = z.object({ repo: EventRepo, n: z.number() });

export const MomentItem = z.object({
  sk: z.string(),
  kind: z.enum(MOMENT_KINDS),
  at: StoredMicros,
  /** Id of the attestation or the artifact report that the moment is about. */
  record: z.string().optional(),
  trail: TrailId,
  /** The text under the commitment `moment`, which no erasure removes. */
  body: z.string(),
  salt: Bytes,
  /** The text under the commitment `details`. Once the moment was erased: what is left of it. */
  details: z.string(),
  /** Absent once the moment was erased (rules/erasure.md#erased-moment). */
  detailsSalt: Bytes.optional(),
  erased: Erasure.optional(),
  /**
   * Commitments to texts of other items, by name. Those to the own texts are computed, except that to the details of an erased
   * moment. The stream of the local database leaves out an empty map.
   */
  pledges: z.record(z.string(), Bytes).default({}),
  previous: Bytes,
  hash: Bytes,
});
export type MomentItem = z.infer<typeof MomentItem>;

const readScope = (text: string): Scope => {
  const [kind, first = '', second = ''] = text.split(':');
  if (kind === 'F') return { kind: 'fingerprint', fingerprint: storedFingerprint(first) };
  if (kind === 'N') return { kind: 'named', artifact: first, commit: second };
  return { kind: 'trail' };
};

/**
 * Reads the head and the state of a trail from its items.
 *
 * @returns null if there is no head
 * @throws RecordDiffers if the head lies under the name of another trail
 */
export function readTrailItems(items: readonly Item[]): { head: TrailHead; state: TrailState } | null {
  const attestations = new Map<string, AttestationSlot>();
  const artifacts = new Map<string, ArtifactSlot>();
  const repos: { id: string; n: number }[] = [];
  let head: TrailHead | undefined;
  for (const item of items) {
    if (item.sk === 'H') head = readHeadItem(item);
    else if (item.sk.startsWith('R#')) repos.push({ id: item.sk.slice(2), n: RepoItem.parse(item).n });
    else if (item.sk.startsWith('SA#')) {
      const slot = readArtifactSlot(item);
      artifacts.set(artifactSlotKey(slot), slot);
    } else if (item.sk.startsWith('SE#')) {
      const slot = readAttestationSlot(item);
      attestations.set(attestationSlotKey(slot), slot);
    }
  }
  if (!head) return null;
  const { number, at, template, templateAt, ownTemplate, fields } = head;
  repos.sort((a, b) => a.n - b.n);
  return {
    head,
    state: {
      number,
      at,
      template,
      templateAt,
      ownTemplate,
      fields,
      attestations,
      artifacts,
      repos: repos.map(({ id }) => id),
    },
  };
}

/** Reads the item of a head. @throws RecordDiffers if it lies under the name of another trail */
export function readHeadItem(item: Item): TrailHead {
  const head = TrailHead.parse(item);
  const name = item.pk.slice(item.pk.lastIndexOf('#') + 1);
  if (head.name !== name) throw new RecordDiffers(`head of trail ${name}`, `it belongs to trail ${head.name}`);
  return head;
}

function readArtifactSlot(item: Item): ArtifactSlot {
  const { sk, i: id, ...facts } = SlotItem.parse(item);
  const [fingerprint = '', name = '', commit = ''] = sk.slice(3).split('#');
  return { fingerprint: storedFingerprint(fingerprint), name, commit, id, ...slotFacts(facts) };
}

function readAttestationSlot(item: Item): AttestationSlot {
  const { sk, i, o, p, ...facts } = SlotItem.parse(item);
  const [scope = '', name = '', type = ''] = sk.slice(3).split('#');
  const overridden = o == null ? null : storedId<AttestationId>(o);
  return {
    scope: readScope(scope),
    name,
    type,
    id: storedId(i),
    overridden,
    ...slotFacts(facts),
    ...(p && { proof: p }),
  };
}

const slotFacts = ({ c, n, at, f, w }: Pick<z.infer<typeof SlotItem>, 'c' | 'n' | 'at' | 'f' | 'w'>) => ({
  compliant: c,
  number: n,
  at,
  first: f,
  ...(w && { origin: w }),
});

export const headItem = (partition: PartitionKey, head: TrailHead): Item => ({
  ...trailHeadKey(partition),
  v: 1,
  ...head,
});

/** Returns the items of all changed slots. A slot that was changed several times has one item, with its last state. */
export function slotItems(partition: PartitionKey, state: TrailState, changes: readonly SlotChange[]): Item[] {
  const items = new Map<string, Item>();
  for (const change of changes) {
    if (change.kind === 'repo') continue;
    const artifact = change.kind === 'artifact';
    const key = artifact ? artifactSlotKey(change) : attestationSlotKey(change);
    const slot = artifact ? state.artifacts.get(key) : state.attestations.get(key);
    if (!slot) throw new Error(`Slot ${key} was changed but is not in the state`);
    const itemKey = artifact ? artifactSlotItemKey(partition, key) : attestationSlotItemKey(partition, key);
    items.set(itemKey.sk, {
      ...itemKey,
      v: 1,
      i: slot.id,
      c: slot.compliant,
      ...('overridden' in slot && slot.overridden !== null && { o: slot.overridden }),
      n: slot.number,
      at: slot.at,
      f: slot.first,
      ...(slot.origin && { w: slot.origin }),
      ...('proof' in slot && slot.proof && { p: slot.proof }),
    });
  }
  return [...items.values()];
}

export const repoItem = (partition: PartitionKey, repo: EventRepo, number: number): Item => ({
  ...trailRepoKey(partition, repo.inner_id),
  v: 1,
  repo,
  n: number,
});

export const readTrailRepo = (item: Item): EventRepo => RepoItem.parse(item).repo;
