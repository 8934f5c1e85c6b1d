import type { AttestationId, Fingerprint, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn } from '#shared/table/keys.ts';
import type { PackageName } from '../rules/package-name.ts';
import { nameInKey, postingPrefix } from './package-name.ts';

/** Keys of the index of components (rules/components.md#index). */

// A set of components, and the attestations that have it

export const componentSetPartition = (org: OrganizationId, set: string): PartitionKey =>
  family(org, 'COMPONENTSET', set);
/** What is kept of a set. While it exists, the postings of the set are complete. */
export const componentSetKey = (org: OrganizationId, set: string): Key => keyIn(componentSetPartition(org, set), 'SET');
/** An attestation with a set. */
export const componentBuildKey = (org: OrganizationId, set: string, attestation: AttestationId): Key =>
  keyIn(componentSetPartition(org, set), `B#${attestation}`);

// Postings: which sets hold a package

/** Packages by name. The first two characters of the name select the partition, so a search needs at least two. */
export const componentPartition = (org: OrganizationId, name: string): PartitionKey =>
  family(org, 'COMPONENT', [...nameInKey(name)].slice(0, 2).join(''));

/**
 * The versions of a package in a set. One item holds them, unless they are too many for an item.
 * @param part 0 for the first item
 */
export const postingKey = (org: OrganizationId, one: PackageName, set: string, part: number): Key =>
  keyIn(componentPartition(org, one.name), `${postingPrefix(one)}${set}${part === 0 ? '' : `#${part}`}`);

// SBOMs by trail

/** The attestations of a trail that have, or should have, an SBOM, by their ids and so by time. */
export const trailSbomPartition = (org: OrganizationId, flow: FlowId, trail: TrailName): PartitionKey =>
  family(org, 'SBOM', flow, trail);
export const trailSbomKey = (org: OrganizationId, flow: FlowId, trail: TrailName, attestation: AttestationId): Key =>
  keyIn(trailSbomPartition(org, flow, trail), attestation);

// Statements of OpenVEX

/** Statements about an artifact, wherever they were reported. */
export const artifactVexPartition = (org: OrganizationId, fingerprint: Fingerprint): PartitionKey =>
  family(org, 'VEX', 'ARTIFACT', fingerprint);
/** Statements about the artifacts that a trail has, and which statements its attestations brought. */
export const trailVexPartition = (org: OrganizationId, flow: FlowId, trail: TrailName): PartitionKey =>
  family(org, 'VEX', 'TRAIL', flow, trail);
/**
 * Statements of an attestation about a package or a vulnerability. One item holds them, unless they are too many for an item.
 * @param about the beginning of the sort key: `P#` or `V#`, a digest and `#`
 */
export const vexKey = (pk: PartitionKey, about: string, attestation: AttestationId, part: number): Key =>
  keyIn(pk, `${about}${attestation}#${part}`);
/** Part of what says where the statements of an attestation are stored. */
export const vexPlacesKey = (pk: PartitionKey, attestation: AttestationId, part: number): Key =>
  keyIn(pk, `K#${attestation}#${part}`);
