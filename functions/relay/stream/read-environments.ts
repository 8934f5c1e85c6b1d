import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { EnvironmentId, type FlowId, type OrganizationId, type PolicyId, storedId } from '#shared/base/ids.ts';
import type { AllowedNews, GroupNews, MarkNews, SnapshotNews } from '#shared/environments/effects-context.ts';
import { AllowedItem } from '#shared/environments/records/environment-records.ts';
import { readSubjectPartition } from '#shared/environments/records/keys.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { readPolicyItemKey, readPolicyPartition } from '#shared/policies/records/keys.ts';

/** The records of a batch that concern environments, grouped by subject. */
export class EnvironmentsNews {
  readonly snapshots = new Map<string, SnapshotNews>();
  readonly groups = new Map<string, GroupNews>();
  readonly marks = new Map<OrganizationId, MarkNews>();
  readonly allowed = new Map<OrganizationId, AllowedNews>();

  /**
   * Adds an item of the stream if it concerns environments.
   * @throws ZodError for an item that does not fit its schema
   */
  add(pk: string, sk: string, image: Record<string, AttributeValue>, record: number): void {
    const ofPolicies = readPolicyPartition(pk);
    if (ofPolicies) this.#addPolicy(ofPolicies, sk, record);
    const found = readSubjectPartition(pk);
    if (!found) return;
    const { org, family, subject } = found;
    if (family === 'SNAPSHOT' && sk.startsWith('S#')) this.#addSnapshot(org, storedId(subject), record);
    if (family === 'ENV' && sk === 'HEAD') this.#addHead(org, image, record);
    if (family === 'ALLOWED' && sk.includes('#')) this.#addAllowed(org, image, record);
    if (family === 'FLOW' && (sk === 'HEAD' || sk === 'TAGS')) this.#marksOf(org, record).flows.add(storedId(subject));
  }

  addMoment(org: OrganizationId, moment: MomentFacts, record: number): void {
    this.#marksOf(org, record).moments.push(moment);
  }

  #marksOf(org: OrganizationId, record: number): MarkNews {
    const nothing = { moments: [], flows: new Set<FlowId>(), policies: new Set<PolicyId>() };
    const known = this.marks.get(org) ?? { org, ...nothing, record };
    this.marks.set(org, known);
    return known;
  }

  #addPolicy(org: OrganizationId, sk: string, record: number): void {
    const { policy, kind } = readPolicyItemKey(sk);
    if (kind === 'V') this.#marksOf(org, record).policies.add(policy);
  }

  #addSnapshot(org: OrganizationId, environment: EnvironmentId, record: number): void {
    const key = `${org}#${environment}`;
    if (!this.snapshots.has(key)) this.snapshots.set(key, { org, environment, record });
  }

  #addHead(org: OrganizationId, image: Record<string, AttributeValue>, record: number): void {
    const { id: environment, kind, rev } = Head.parse(image);
    if (kind !== 'logical') return;
    const key = `${org}#${environment}`;
    const known = this.groups.get(key);
    if (known) known.rev = Math.max(known.rev, rev);
    else this.groups.set(key, { org, environment, rev, record });
  }

  #addAllowed(org: OrganizationId, image: Record<string, AttributeValue>, record: number): void {
    const entry = AllowedItem.parse(unmarshall(image));
    // The artifact was allowed before: only the reason changed, which has no effects.
    if (!entry.added) return;
    const known = this.allowed.get(org) ?? { org, entries: [], record };
    known.entries.push(entry);
    this.allowed.set(org, known);
  }
}

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const number = z.object({ N: z.string() }).transform(({ N }) => Number(N));
const Head = z.object({ id: z.object({ S: EnvironmentId }).transform(({ S }) => S), kind: text, rev: number });
