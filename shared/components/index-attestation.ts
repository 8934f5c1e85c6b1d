import type { OrganizationId } from '#shared/base/ids.ts';
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
import { mayHaveSbom, mayHaveVex } from '#shared/evidence/rules/sbom/may-have-sbom.ts';
import { keyText, putIfAbsent } from '#shared/table/table.ts';
import { forgetSbom } from './forget-sbom.ts';
import { type IndexContext, type IndexWork, writeSteps } from './index-steps.ts';
import { indexVex } from './index-vex.ts';
import { type AttachedSbom, readAttached } from './read-attached.ts';
import { postingItems } from './records/postings.ts';
import { type Sbom, sbomItem } from './records/sboms.ts';
import { buildItem, componentSetItem, readSet } from './records/sets.ts';
import type { ComponentsRead } from './rules/component.ts';
import { listText } from './rules/component-list.ts';
import { isSbomErased } from './rules/erased-sbom.ts';
import { postedComponent } from './rules/package-name.ts';

/** If a set is just being forgotten, the worker looks again after this time. */
const LOOK_AGAIN_SECONDS = 60;

/**
 * Reads the SBOM and the OpenVEX of an attestation and adds them to the index of components (rules/components.md#index). An attestation that
 * was read before, or that has neither, is skipped, unless it was erased since. If the time of the call is over, the rest is handed over.
 * The order of the writes lets the work stop anywhere and begin anew.
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
  if (!mayHaveSbom(record) && !mayHaveVex(record)) return;
  const attached = await readAttached(objects, org, record);
  // Most files are neither, and nobody asks what such an attestation is about.
  if (attached.sbom.state === 'none' && attached.vex.state === 'none') {
    await table.put(attestationComponentsItem(org, id, NONE));
    return;
  }
  const moment = await momentOf(context, org, record);
  const scoped = scopeOf(record, moment);
  const sbom = await indexSbom(context, work, record, scoped, attached.sbom);
  const vex = sbom === 'later' ? sbom : await indexVex(context, work, record, scoped, attached.vex);
  if (sbom === 'later' || vex === 'later') return;
  if (sbom && moment) await context.changed(org, moment);
  if (sbom && attached.sbom.state === 'read')
    await context.askWatches(context, org, sbom, attached.sbom.read.components);
  // The state of the attestation comes last: after it, nothing is done again.
  const components = sbom ? AttestationComponents.parse(sbom) : NONE;
  await table.put(attestationComponentsItem(org, id, { ...components, ...(vex && { vex }) }));
  // An erasure that came before these writes found nothing to forget.
  const now = await readAttestation(table, org, id);
  if (now && !isSbomErased(record) && isSbomErased(now)) await forgetSbom(context, org, id);
}

const NONE: AttestationComponents = { state: 'none', set: null, count: null, why: null, format: null };

/** Adds the SBOM of an attestation to the index. @returns null without one; `later` if the rest was handed over */
async function indexSbom(
  context: IndexContext,
  work: IndexWork,
  record: AttestationRecord,
  scoped: Scoped,
  attached: AttachedSbom,
): Promise<Sbom | null | 'later'> {
  if (attached.state === 'none') return null;
  const sbom = sbomOf(record, scoped, attached);
  if (attached.state === 'read' && (await indexSet(context, work, sbom, attached.read)) === 'later') return 'later';
  await context.table.put(sbomItem(work.org, sbom));
  return sbom;
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

/** Forgets the SBOM and the statements of an attestation that was erased since it was read: the erasure may not have done it yet. */
async function forgetErased(
  context: IndexContext,
  org: OrganizationId,
  record: AttestationRecord,
  { state, vex }: AttestationComponents,
): Promise<void> {
  if ((state === 'none' && !vex) || !isSbomErased(record)) return;
  await forgetSbom(context, org, record.id);
  if (state === 'none') return;
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
  work: IndexWork,
  sbom: Sbom,
  { components }: ComponentsRead,
): Promise<'done' | 'later'> {
  const { table, objects, handOver } = context;
  const { org, attestation } = work;
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
    if ((await writeSteps(context, work, set, items)) === 'later') return 'later';
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
