import type { EnvironmentId, FlowId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import type { MarkNews } from '#shared/environments/effects-context.ts';
import type { EnvironmentChange } from '#shared/environments/stream-changes.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';

/** Position in the batch of the first record of its subject. */
interface OfRecord {
  record: number;
}

/** An environment with new snapshots in a batch. */
interface SnapshotNews extends OfRecord {
  org: OrganizationId;
  environment: EnvironmentId;
}

/** A logical environment whose members or policies may have changed. */
export interface GroupNews extends OfRecord {
  org: OrganizationId;
  environment: EnvironmentId;
  /** Counts its changes of settings. */
  rev: number;
}

/** New entries of allow-lists in a batch. */
interface AllowedNews extends OfRecord {
  org: OrganizationId;
  entries: Extract<EnvironmentChange, { kind: 'allowed' }>['entry'][];
}

/** The records of a batch that concern environments, grouped by subject. */
export class EnvironmentsNews {
  readonly snapshots = new Map<string, SnapshotNews>();
  readonly groups = new Map<string, GroupNews>();
  readonly marks = new Map<OrganizationId, MarkNews & OfRecord>();
  readonly allowed = new Map<OrganizationId, AllowedNews>();

  add(change: EnvironmentChange, record: number): void {
    const { org } = change;
    switch (change.kind) {
      case 'snapshot':
        this.#addSnapshot(org, change.environment, record);
        return;
      case 'group':
        this.#addGroup(org, change.environment, change.rev, record);
        return;
      case 'allowed': {
        const known = this.allowed.get(org) ?? { org, entries: [], record };
        known.entries.push(change.entry);
        this.allowed.set(org, known);
        return;
      }
      case 'flow':
        this.#marksOf(org, record).flows.add(change.flow);
        return;
      case 'policy':
        this.#marksOf(org, record).policies.add(change.policy);
    }
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

  #addSnapshot(org: OrganizationId, environment: EnvironmentId, record: number): void {
    const key = `${org}#${environment}`;
    if (!this.snapshots.has(key)) this.snapshots.set(key, { org, environment, record });
  }

  #addGroup(org: OrganizationId, environment: EnvironmentId, rev: number, record: number): void {
    const key = `${org}#${environment}`;
    const known = this.groups.get(key);
    if (known) known.rev = Math.max(known.rev, rev);
    else this.groups.set(key, { org, environment, rev, record });
  }
}
