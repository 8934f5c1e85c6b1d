import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { EnvironmentId, type FlowId, type OrganizationId, type PolicyId, storedId } from '#shared/base/ids.ts';
import type { AllowedNews, GroupNews, MarkNews, SnapshotNews } from '#shared/environments/effects-context.ts';
import { AllowedItem } from '#shared/environments/records/environment-records.ts';
import { readSubjectPartition } from '#shared/environments/records/keys.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';

/** What a batch says of environments, by what it is about. */
export class EnvironmentsNews {
  readonly snapshots = new Map<string, SnapshotNews>();
  readonly groups = new Map<string, GroupNews>();
  readonly marks = new Map<OrganizationId, MarkNews>();
  readonly allowed = new Map<OrganizationId, AllowedNews>();

  /** Notes an item of the stream, if it is about environments. @throws ZodError for one that does not fit its schema */
  note(pk: string, sk: string, image: Record<string, AttributeValue>, record: number): void {
    const found = readSubjectPartition(pk);
    if (!found) return;
    const { org, family, subject } = found;
    if (family === 'SNAPSHOT' && sk.startsWith('S#'))
      this.#noteSnapshot(org, storedId(subject), Number(sk.slice(2)), record);
    if (family === 'ENV' && sk === 'HEAD') this.#noteHead(org, image, record);
    if (family === 'ALLOWED' && sk.includes('#')) this.#noteAllowed(org, image, record);
    if (family === 'POLICY' && sk.startsWith('V#')) this.#marksOf(org, record).policies.add(storedId(subject));
    if (family === 'FLOW' && sk === 'TAGS') this.#marksOf(org, record).tagged.add(storedId(subject));
    if (family === 'FLOW' && sk === 'HEAD') this.#noteFlow(org, storedId(subject), image, record);
  }

  noteMoment(org: OrganizationId, moment: MomentFacts, record: number): void {
    this.#marksOf(org, record).moments.push(moment);
  }

  #marksOf(org: OrganizationId, record: number): MarkNews {
    const nothing = { moments: [], flows: [], tagged: new Set<FlowId>(), policies: new Set<PolicyId>() };
    const known = this.marks.get(org) ?? { org, ...nothing, record };
    this.marks.set(org, known);
    return known;
  }

  #noteSnapshot(org: OrganizationId, environment: EnvironmentId, index: number, record: number): void {
    const key = `${org}#${environment}`;
    const known = this.snapshots.get(key);
    if (known) known.upTo = Math.max(known.upTo, index);
    else this.snapshots.set(key, { org, environment, upTo: index, record });
  }

  #noteHead(org: OrganizationId, image: Record<string, AttributeValue>, record: number): void {
    const { id: environment, kind, rev } = Head.parse(image);
    if (kind !== 'logical') return;
    const key = `${org}#${environment}`;
    const known = this.groups.get(key);
    if (known) known.rev = Math.max(known.rev, rev);
    else this.groups.set(key, { org, environment, rev, record });
  }

  #noteAllowed(org: OrganizationId, image: Record<string, AttributeValue>, record: number): void {
    const entry = AllowedItem.parse(unmarshall(image));
    // Another reason for what was allowed already is nobody's news.
    if (!entry.added) return;
    const known = this.allowed.get(org) ?? { org, entries: [], record };
    known.entries.push(entry);
    this.allowed.set(org, known);
  }

  /** The stream says how a flow is now, not what changed of it. */
  #noteFlow(org: OrganizationId, flow: FlowId, image: Record<string, AttributeValue>, record: number): void {
    const { rev } = FlowHead.parse(image);
    this.#marksOf(org, record).flows.push({ flow, rev, text: JSON.stringify([image['name'], image['archived']]) });
  }
}

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const number = z.object({ N: z.string() }).transform(({ N }) => Number(N));
const FlowHead = z.object({ rev: number });
const Head = z.object({ id: z.object({ S: EnvironmentId }).transform(({ S }) => S), kind: text, rev: number });
