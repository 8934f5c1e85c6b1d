import type { AttestationId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { postingItems } from '#shared/components/records/postings.ts';
import { type Sbom, sbomItem } from '#shared/components/records/sboms.ts';
import { buildItem, componentSetItem } from '#shared/components/records/sets.ts';
import type { Component } from '#shared/components/rules/component.ts';
import { listText } from '#shared/components/rules/component-list.ts';
import { postedComponent } from '#shared/components/rules/package-name.ts';
import { attestationComponentsItem } from '#shared/evidence/records/attestation-components.ts';
import type { Scope } from '#shared/evidence/rules/trail-state.ts';
import { testName } from '../ids.ts';

/** An SBOM as the worker indexes it, with the functions that write the items. */
export interface IndexedSbom {
  id: AttestationId;
  flow: FlowId;
  trail: string;
  at: Micros;
  number: number;
  scopes: Scope[];
  name?: string;
  proof?: Sbom['proof'];
  /** `pkg:npm/a@1.0.0`, or a plain name and a version without a package URL. Why it cannot be read; `erased`. */
  holds: readonly string[] | { unreadable: string } | 'erased';
}

/** Writes the items of an SBOM in the order of the worker: postings, set, builds. */
export async function indexSbom(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  { id, flow, trail, at, number, scopes, name = 'sbom', proof, holds }: IndexedSbom,
): Promise<void> {
  const about = { id, flow, trail: testName<Sbom['trail']>(trail), name, type: 'sbom', scopes, at, number };
  const proven = proof && { proof };
  const none = { set: null, count: null, format: null };
  if (holds === 'erased') {
    await table.put(sbomItem(org, { ...about, state: 'erased', why: null, ...none, ...proven }));
    return;
  }
  if ('unreadable' in holds) {
    await table.put(sbomItem(org, { ...about, state: 'unreadable', why: holds.unreadable, ...none, ...proven }));
    return;
  }
  const components = holds.toSorted().map(componentOf);
  const set = sha256Hex(listText(components));
  const facts = { set, count: components.length, format: 'cyclonedx-1.6' };
  const build = { ...about, state: 'read' as const, why: null, ...facts, ...proven };
  await table.putMany(postingItems(org, { set, at }, components.map(postedComponent)));
  const body = prepareBody(objects, org, listText(components), `components:${set}`);
  await body.upload();
  await table.put(componentSetItem(org, set, { count: components.length, body: body.body, at }));
  await table.putMany([
    buildItem(org, build),
    sbomItem(org, build),
    attestationComponentsItem(org, id, { state: 'read', why: null, ...facts }),
  ]);
}

const PURL = /^pkg:[a-z]+\/(?:[^@]*\/)?([^@/]+)@(.+)$/;

function componentOf(text: string): Component {
  const [, name, version] = PURL.exec(text) ?? [];
  const [plain = text, plainVersion = null] = text.split(' ');
  const purl = name === undefined ? null : text;
  return { purl, name: name ?? plain, version: version ?? plainVersion, digests: {}, depth: 'direct' };
}
