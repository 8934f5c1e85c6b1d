import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { EnvironmentId, type FlowId, type OrganizationId, type PolicyId, storedId } from '#shared/base/ids.ts';
import type { AllowedNews, GroupNews, MarkNews, SnapshotNews } from '#shared/environments/effects-context.ts';
import { AllowedItem } from '#shared/environments/records/environment-records.ts';
import { readSubjectPartition } from '#shared/environments/records/keys.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';

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
    const found = readSubjectPartition(pk);
    if (!found) return;
    const { org, family, subject } = found;
    if (family === 'SNAPSHOT' && sk.startsWith('S#')) this.#addSnapshot(org, storedId(subject), record);
    if (family === 'ENV' && sk === 'HEAD') this.#addHead(org, image, record);
    if (family === 'ALLOWED' && sk.includes('#')) this.#addAllowed(org, image, record);
    if (family === 'POLICY' && sk.startsWith('V#')) this.#marksOf(org, record).policies.add(storedId(subject));
    if (family === 'FLOW' && sk === 'TAGS') this.#marksOf(org, record).tagged.add(storedId(subject));
    if (family === 'FLOW' && sk === 'HEAD') this.#addFlow(org, storedId(subject), image, record);
  }

  addMoment(org: OrganizationId, moment: MomentFacts, record: number): void {
    this.#marksOf(org, record).moments.push(moment);
  }

  #marksOf(org: OrganizationId, record: number): MarkNews {
    const nothing = { moments: [], flows: [], tagged: new Set<FlowId>(), policies: new Set<PolicyId>() };
    const known = this.marks.get(org) ?? { org, ...nothing, record };
    this.marks.set(org, known);
    return known;
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

  /** The record has the flow after the change. The memory finds out whether name or archiving have changed. */
  #addFlow(org: OrganizationId, flow: FlowId, image: Record<string, AttributeValue>, record: number): void {
    const { rev } = FlowHead.parse(image);
    this.#marksOf(org, record).flows.push({ flow, rev, text: JSON.stringify([image['name'], image['archived']]) });
  }
}

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const number = z.object({ N: z.string() }).transform(({ N }) => Number(N));
const FlowHead = z.object({ rev: number });
const Head = z.object({ id: z.object({ S: EnvironmentId }).transform(({ S }) => S), kind: text, rev: number });
