import type { Fingerprint, Id } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { type Bindings, bindingsOf, latestPerSlot } from './binding.ts';
import { type AttestationStatus, type StatusWord, statusEntries, worst, worstWord } from './status-entries.ts';
import type { Template, TemplateSlot } from './template.ts';
import type { ArtifactSlot, AttestationSlot, TrailState } from './trail-state.ts';

export type { AttestationStatus, StatusWord } from './status-entries.ts';

/** An artifact of the template that was never reported (semantics §3.8). */
export interface MissingArtifact {
  artifact_fingerprint: null;
  artifact_id: null;
  status: 'MISSING';
  is_compliant: null;
  attestations_statuses: AttestationStatus[];
  unexpected: false;
}

export interface ReportedArtifact {
  artifact_fingerprint: Fingerprint;
  /** Id of the latest report. */
  artifact_id: Id;
  status: StatusWord;
  is_compliant: boolean;
  /** Its own entries only (wire flows U12). */
  attestations_statuses: AttestationStatus[];
  unexpected: boolean;
  /** The last event that concerned this artifact: a report of it, an attestation bound to it, another template. */
  evaluated_at: Micros;
}

export type ArtifactStatus = MissingArtifact | ReportedArtifact;

export interface ComplianceStatus {
  status: StatusWord;
  is_compliant: boolean;
  attestations_statuses: AttestationStatus[];
  /** By template reference name; without a prototype, since `__proto__` is a legal name. */
  artifacts_statuses: Record<string, ArtifactStatus>;
  evaluated_at: Micros;
  /** Digest of the template that was evaluated, null = the empty one. */
  template: string | null;
}

/** What asserts, policies and an artifact's `state` go by: own entries and those of the trail (semantics §3.8). */
export interface EffectiveVerdict {
  status: StatusWord;
  is_compliant: boolean;
  /** The artifact's own entry, as the trail lists it. */
  entry: ReportedArtifact;
  /** The entries of the trail as a whole. */
  trail: AttestationStatus[];
}

/** Answers every question about one state of a trail: its slots are sorted, and each entry is made, only once. */
export interface TrailJudge {
  status(): ComplianceStatus;
  /**
   * The entry of a fingerprint, also where another one has taken its name's place in `artifacts_statuses`.
   * @param name template reference name; the one of the latest report when absent
   * @returns null when the fingerprint was not reported (under that name) in this trail
   */
  artifact(fingerprint: Fingerprint, name?: string): ReportedArtifact | null;
  /** Null when the fingerprint was not reported in this trail. */
  effective(fingerprint: Fingerprint): EffectiveVerdict | null;
}

export function trailJudge(state: TrailState, template: Template): TrailJudge {
  const bindings = bindingsOf(state);
  const slotsOf = new Map(template.trail.artifacts.map((artifact) => [artifact.name, artifact.attestations]));

  const made = new Map<ArtifactSlot, ReportedArtifact>();
  const entryOf = (report: ArtifactSlot): ReportedArtifact => {
    const entry = made.get(report) ?? reportedArtifact(report, slotsOf.get(report.name), bindings, state.templateAt);
    made.set(report, entry);
    return entry;
  };
  const artifact = (fingerprint: Fingerprint, name?: string): ReportedArtifact | null => {
    const reports = bindings.reports.get(fingerprint) ?? [];
    const latest = name === undefined ? reports.at(-1) : reports.findLast((report) => report.name === name);
    return latest ? entryOf(latest) : null;
  };
  let ofTrail: AttestationStatus[] | undefined;
  const trailEntries = (): AttestationStatus[] => {
    ofTrail ??= statusEntries(template.trail.attestations, latestPerSlot(bindings.trail));
    return ofTrail;
  };

  return {
    artifact,
    status() {
      const entries = statusEntries(
        template.trail.attestations,
        latestPerSlot(bindings.trail),
        // Each stands for a fingerprint of its own, so none replaces another.
        bindings.strangers.toSorted((a, b) => a.first - b.first),
      );
      const artifacts = artifactEntries(template, bindings, artifact);
      const status = worstWord([worst(entries), ...Object.values(artifacts).map((entry) => entry.status)]);
      return {
        status,
        is_compliant: status === 'COMPLIANT',
        attestations_statuses: entries,
        artifacts_statuses: artifacts,
        evaluated_at: state.at,
        template: state.template,
      };
    },
    effective(fingerprint) {
      const entry = artifact(fingerprint);
      if (!entry) return null;
      const trail = trailEntries();
      // A fingerprint that was reported under several names owes what the template asks of each of them.
      const names = new Set(bindings.reports.get(fingerprint)?.map((report) => report.name));
      const own = [...names].map((name) => artifact(fingerprint, name)?.status ?? 'MISSING');
      const status = worstWord([worst(trail), ...own]);
      return { status, is_compliant: status === 'COMPLIANT', entry, trail };
    },
  };
}

/** The verdict on a trail (semantics §3.5 to §3.8, wire flows §10.2). */
export const judgeTrail = (state: TrailState, template: Template): ComplianceStatus =>
  trailJudge(state, template).status();

/** The verdict's word alone. */
export const trailWord = (state: TrailState, template: Template): StatusWord => judgeTrail(state, template).status;

/** The verdict on one artifact of a trail; {@link trailJudge} is for several. */
export const effectiveVerdict = (
  state: TrailState,
  template: Template,
  fingerprint: Fingerprint,
): EffectiveVerdict | null => trailJudge(state, template).effective(fingerprint);

/** The status entry of one artifact of a trail; see {@link TrailJudge.artifact}. */
export const artifactEntry = (
  state: TrailState,
  template: Template,
  fingerprint: Fingerprint,
  name?: string,
): ReportedArtifact | null => trailJudge(state, template).artifact(fingerprint, name);

/** Template order, then the other names in first-reported order; a name shows the artifact reported last (semantics §3.5). */
function artifactEntries(
  template: Template,
  bindings: Bindings,
  entryOf: (fingerprint: Fingerprint, name: string) => ReportedArtifact | null,
): Record<string, ArtifactStatus> {
  const newest = new Map<string, ArtifactSlot>();
  const firstOf = new Map<string, number>();
  for (const report of [...bindings.reports.values()].flat()) {
    const other = newest.get(report.name);
    if (!other || other.number < report.number) newest.set(report.name, report);
    firstOf.set(report.name, Math.min(report.first, firstOf.get(report.name) ?? report.first));
  }
  const entries: Record<string, ArtifactStatus> = Object.create(null);
  for (const expected of template.trail.artifacts) entries[expected.name] = missingArtifact(expected.attestations);
  for (const [name] of [...firstOf].sort(([, a], [, b]) => a - b)) {
    const report = newest.get(name);
    const entry = report && entryOf(report.fingerprint, name);
    if (entry) entries[name] = entry;
  }
  return entries;
}

const missingArtifact = (slots: readonly TemplateSlot[]): MissingArtifact => ({
  artifact_fingerprint: null,
  artifact_id: null,
  status: 'MISSING',
  is_compliant: null,
  attestations_statuses: statusEntries(slots, []),
  unexpected: false,
});

/** @param expected the template's slots for the report's name, undefined where the template has no such artifact */
function reportedArtifact(
  report: ArtifactSlot,
  expected: readonly TemplateSlot[] | undefined,
  bindings: Bindings,
  templateAt: Micros,
): ReportedArtifact {
  const bound: readonly AttestationSlot[] = bindings.bound(report.fingerprint);
  const reports = bindings.reports.get(report.fingerprint) ?? [];
  const entries = statusEntries(expected ?? [], latestPerSlot(bound));
  const status = report.compliant ? worst(entries) : 'NON-COMPLIANT';
  return {
    artifact_fingerprint: report.fingerprint,
    artifact_id: report.id,
    status,
    is_compliant: status === 'COMPLIANT',
    attestations_statuses: entries,
    unexpected: expected === undefined,
    evaluated_at: [...bound, ...reports].reduce((latest, { at }) => Math.max(latest, at), templateAt),
  };
}
