import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { AttestationComponents, attestationComponentsItem } from '#shared/evidence/records/attestation-components.ts';
import {
  type AttestationRecord,
  readAttestation,
  readAttestationItem,
} from '#shared/evidence/records/attestation-records.ts';
import { attestationComponentsKey, attestationKey } from '#shared/evidence/records/keys.ts';
import { type Moment, readMoments } from '#shared/evidence/records/moments.ts';
import { mayHaveSbom } from '#shared/evidence/rules/sbom/may-have-sbom.ts';
import { keyText, putIfAbsent } from '#shared/table/table.ts';
import { forgetSbom } from './forget-sbom.ts';
import { type AttachedSbom, readAttachedSbom } from './read-attached.ts';
import { postingItems } from './records/postings.ts';
import { type Sbom, sbomItem } from './records/sboms.ts';
import { buildItem, componentSetItem, readSet } from './records/sets.ts';
import type { Component, ComponentsRead } from './rules/component.ts';
import { listText } from './rules/component-list.ts';
import { isSbomErased } from './rules/erased-sbom.ts';
import { postedComponent } from './rules/package-name.ts';

/** Postings of one step. Between two steps the worker looks at the time. */
const AT_ONCE = 500;
/** Batches of 25 postings that are written in parallel. More would take the table's capacity from requests. */
const WIDTH = 4;
const BATCH = 25;
/** If a set is just being forgotten, the worker looks again after this time. */
const LOOK_AGAIN_SECONDS = 60;

/** Where the postings of a set were left: how many of them are stored. */
export interface IndexPlace {
  set: string;
  done: number;
}

/** Work on one attestation. */
export interface IndexWork {
  org: OrganizationId;
  attestation: AttestationId;
  /** Null at the beginning. */
  place: IndexPlace | null;
}

interface IndexContext extends Stores {
  isTime: () => boolean;
  /** Called after the SBOM that a moment brought was stored or forgotten: verdicts can change by it. */
  changed: (org: OrganizationId, moment: Moment) => Promise<void>;
  /** Sends the rest of the work, which begins after so many seconds. */
  handOver: (work: IndexWork, delaySeconds: number) => Promise<void>;
  /** Asks the watches of the organization about an SBOM that is in the index. A repeated call does no harm. */
  askWatches: (
    stores: Pick<Stores, 'table' | 'clock'>,
    org: OrganizationId,
    sbom: Sbom,
    components: readonly Component[],
  ) => Promise<void>;
}

/**
 * Reads the SBOM of an attestation and adds it to the index of components (rules/components.md#index). An attestation that was read before,
 * or that has no SBOM, is skipped, unless it was erased since. If the time of the call is over, the rest is handed over. The order of the
 * writes lets the work stop anywhere and begin anew.
 */
export async function indexAttestation(context: IndexContext, work: IndexWork): Promise<void> {
  const { table, objects } = context;
  const { org, attestation: id } = work;
  const keys = [attestationKey(org, id), attestationComponentsKey(org, id)] as const;
  const found = await table.getMany(keys);
  const item = found.get(keyText(keys[0]));
  if (!item) return;
  const record = readAttestationItem(item);
  const before = found.get(keyText(keys[1]));
  if (before) return forgetErased(context, org, record, AttestationComponents.parse(before));
  if (!mayHaveSbom(record)) return;
  const attached = await readAttachedSbom(objects, org, record);
  // Most files are no SBOM, and nobody asks what such an attestation is about.
  if (attached.state === 'none') {
    const none = { state: 'none', set: null, count: null, why: null, format: null } as const;
    await table.put(attestationComponentsItem(org, id, none));
    return;
  }
  const moment = await momentOf(context, org, record);
  const sbom = sbomOf(record, scopeOf(record, moment), attached);
  if (attached.state === 'read' && (await indexSet(context, work, sbom, attached.read)) !== 'done') return;
  // The state of the attestation comes last: after it, nothing is done again.
  await table.put(sbomItem(org, sbom));
  if (moment) await context.changed(org, moment);
  if (attached.state === 'read') await context.askWatches(context, org, sbom, attached.read.components);
  await table.put(attestationComponentsItem(org, id, AttestationComponents.parse(sbom)));
  // An erasure that came before these writes found nothing to forget.
  const now = await readAttestation(table, org, id);
  if (now && attached.state !== 'erased' && isSbomErased(now)) await forgetSbom(context, org, id);
}

type Scoped = Pick<Sbom, 'scopes' | 'proof'>;

/** The moment that the report of an attestation made. */
async function momentOf(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  { flow, trail, number }: AttestationRecord,
): Promise<Moment | undefined> {
  const [moment] = await readMoments(table, org, flow, trail, { from: number, to: number });
  return moment;
}

/** Forgets the SBOM of an attestation that was erased since it was read: the erasure may not have done it yet. */
async function forgetErased(
  context: IndexContext,
  org: OrganizationId,
  record: AttestationRecord,
  { state }: AttestationComponents,
): Promise<void> {
  if (state === 'none' || !isSbomErased(record)) return;
  await forgetSbom(context, org, record.id);
  const moment = await momentOf(context, org, record);
  if (moment) await context.changed(org, moment);
}

/** What the moment of the report says: what the attestation is about, and what recalls compare. */
function scopeOf({ id }: AttestationRecord, moment: Moment | undefined): Scoped {
  const changes = (moment?.content.changes ?? []).flatMap((change) =>
    change.kind === 'attestation' && change.id === id ? [change] : [],
  );
  const proof = changes[0]?.proof;
  return { scopes: changes.map(({ scope }) => scope), ...(proof && { proof }) };
}

function sbomOf(
  { id, flow, trail, name, type, at, number }: AttestationRecord,
  scoped: Scoped,
  attached: Exclude<AttachedSbom, { state: 'none' }>,
): Sbom {
  const read = attached.state === 'read' ? attached.read : null;
  return {
    id,
    flow,
    trail,
    name,
    type,
    at,
    number,
    ...scoped,
    state: attached.state,
    set: read && sha256Hex(listText(read.components)),
    why: attached.state === 'unreadable' ? attached.why : null,
    count: read?.components.length ?? null,
    format: read?.format ?? null,
  };
}

/**
 * Stores a set, unless it is stored, and that the attestation has it.
 * @returns `later` if the rest was handed over
 */
async function indexSet(
  context: IndexContext,
  { org, attestation, place }: IndexWork,
  sbom: Sbom,
  { components }: ComponentsRead,
): Promise<'done' | 'later'> {
  const { table, objects, isTime, handOver } = context;
  const { set, at } = sbom;
  if (set === null) throw new Error('An SBOM was read and has no set');
  const look = async (): Promise<'later'> => {
    await handOver({ org, attestation, place: null }, LOOK_AGAIN_SECONDS);
    return 'later';
  };
  const stored = await readSet(table, org, set);
  if (stored?.leaving !== undefined) return look();
  if (!stored) {
    const items = postingItems(org, { set, at }, components.map(postedComponent));
    let done = place?.set === set ? place.done : 0;
    while (done < items.length) {
      const some = items.slice(done, done + AT_ONCE);
      await inParallel(batchesOf(some, BATCH), WIDTH, (batch) => table.putMany(batch));
      done += some.length;
      if (done < items.length && !isTime()) {
        await handOver({ org, attestation, place: { set, done } }, 0);
        return 'later';
      }
    }
    // No use of the text is recorded: only the set has this text, and the worker may not remove uses (rules/erasure.md#components).
    const { body, upload } = prepareBody(objects, org, listText(components), `components:${set}`);
    await upload();
    const record = { count: components.length, body, at };
    await table.write(putIfAbsent(componentSetItem(org, set, record), () => 'stored' as const));
  }
  await table.put(buildItem(org, { ...sbom, state: 'read', set }));
  // An erasure that did not see this build has marked the set before it looked for builds.
  const after = await readSet(table, org, set);
  return after && after.leaving === undefined ? 'done' : look();
}
