import type { Fingerprint, Id } from '#shared/base/ids.ts';
import { latestOf, type Micros } from '#shared/base/time.ts';
import type { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import { type Bindings, bindingsOf, latestPerSlot } from './binding.ts';
import {
  type AttestationStatus,
  type RecalledEntry,
  recalledEntry,
  type StatusWord,
  statusEntries,
  worst,
  worstWord,
} from './status-entries.ts';
import type { Template, TemplateSlot } from './template.ts';
import type { ArtifactSlot, AttestationSlot, RecalledSlot, TrailState } from './trail-state.ts';

export type { AttestationStatus, StatusWord } from './status-entries.ts';

/** An artifact of the template that was never reported (rules/trails.md#verdict-words). */
interface MissingArtifact {
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
  /** The artifact's own entries, without those of the trail. */
  attestations_statuses: AttestationStatus[];
  unexpected: boolean;
  /** What an issuer proved about the reporter of the latest report (rules/identities.md#evidence-says-who). */
  origin?: ProvenOrigin;
  /** Records of the artifact that recalls match; absent if there are none (rules/verified-evidence.md#effect-of-recalls). */
  recalled?: RecalledEntry[];
  /** Time of the latest report, bound attestation or change of the template (rules/trails.md#time-of-evaluation). */
  evaluated_at: Micros;
}

export type ArtifactStatus = MissingArtifact | ReportedArtifact;

export interface ComplianceStatus {
  status: StatusWord;
  is_compliant: boolean;
  attestations_statuses: AttestationStatus[];
  /** By template reference name. The object has no prototype, because `__proto__` is a legal name. */
  artifacts_statuses: Record<string, ArtifactStatus>;
  /** Records of the trail as a whole that recalls match; absent if there are none. */
  recalled?: RecalledEntry[];
  evaluated_at: Micros;
  /** Digest of the template that was evaluated; null is the empty template. */
  template: string | null;
}

/** The effective verdict on an artifact in a trail (rules/trails.md#effective-verdict). */
export interface EffectiveVerdict {
  status: StatusWord;
  is_compliant: boolean;
  /** The artifact's own entry, as the trail lists it. */
  entry: ReportedArtifact;
  /** The entries of the trail as a whole. */
  trail: AttestationStatus[];
  /** Records of the artifact and of the trail as a whole that recalls match. */
  recalled: RecalledEntry[];
}

/** Gives all verdicts on one state of a trail. Slots are grouped once, and each entry is built once. */
export interface TrailJudge {
  status(): ComplianceStatus;
  /**
   * Returns the entry of a fingerprint, even if `artifacts_statuses` shows another fingerprint under its name.
   * @param name template reference name; by default the name of the latest report
   * @returns null if the fingerprint was not reported in this trail, or not under this name
   */
  artifact(fingerprint: Fingerprint, name?: string): ReportedArtifact | null;
  /** Returns null if the fingerprint was not reported in this trail. */
  effective(fingerprint: Fingerprint): EffectiveVerdict | null;
  /** Returns the entries that the effective verdict rests on: those of the artifact under each of its names, then those of the trail. */
  entries(fingerprint: Fingerprint): AttestationStatus[];
}

/** @param template the template in force in this state */
export function trailJudge(state: TrailState, template: Template): TrailJudge {
  const bindings = bindingsOf(state);
  const slotsOf = new Map(template.trail.artifacts.map((artifact) => [artifact.name, artifact.attestations]));

  const builtEntries = new Map<ArtifactSlot, ReportedArtifact>();
  const entryOf = (report: ArtifactSlot): ReportedArtifact => {
    const entry =
      builtEntries.get(report) ?? reportedArtifact(report, slotsOf.get(report.name), bindings, state.templateAt);
    builtEntries.set(report, entry);
    return entry;
  };
  const artifact = (fingerprint: Fingerprint, name?: string): ReportedArtifact | null => {
    const reports = bindings.reports.get(fingerprint) ?? [];
    const latest = name === undefined ? reports.at(-1) : reports.findLast((report) => report.name === name);
    return latest ? entryOf(latest) : null;
  };
  let entriesOfTrail: AttestationStatus[] | undefined;
  const trailEntries = (): AttestationStatus[] => {
    entriesOfTrail ??= statusEntries(
      template.trail.attestations,
      latestPerSlot(bindings.trail),
      [],
      bindings.recalled(null),
    );
    return entriesOfTrail;
  };

  const namesOf = (fingerprint: Fingerprint): string[] => [
    ...new Set(bindings.reports.get(fingerprint)?.map((report) => report.name)),
  ];

  return {
    artifact,
    entries: (fingerprint) => [
      ...namesOf(fingerprint).flatMap((name) => artifact(fingerprint, name)?.attestations_statuses ?? []),
      ...trailEntries(),
    ],
    status() {
      const entries = statusEntries(
        template.trail.attestations,
        latestPerSlot(bindings.trail),
        // Decisions on different fingerprints do not replace each other.
        bindings.foreignDecisions.toSorted((a, b) => a.first - b.first),
        bindings.recalled(null),
      );
      const artifacts = artifactEntries(template, bindings, artifact);
      const status = worstWord([worst(entries), ...Object.values(artifacts).map((entry) => entry.status)]);
      return {
        status,
        is_compliant: status === 'COMPLIANT',
        attestations_statuses: entries,
        artifacts_statuses: artifacts,
        ...recalledEntries(bindings.recalled(null)),
        evaluated_at: state.at,
        template: state.template,
      };
    },
    effective(fingerprint) {
      const entry = artifact(fingerprint);
      if (!entry) return null;
      const trail = trailEntries();
      // An artifact that was reported under several names must satisfy the template for each of them.
      const own = namesOf(fingerprint).map((name) => artifact(fingerprint, name)?.status ?? 'MISSING');
      const status = worstWord([worst(trail), ...own]);
      const recalled = [...bindings.recalled(fingerprint), ...bindings.recalled(null)].map(recalledEntry);
      return { status, is_compliant: status === 'COMPLIANT', entry, trail, recalled };
    },
  };
}

/** Computes the verdict on a trail (rules/trails.md#compliance-status). */
export const judgeTrail = (state: TrailState, template: Template): ComplianceStatus =>
  trailJudge(state, template).status();

/** Computes only the verdict word of a trail. */
export const trailWord = (state: TrailState, template: Template): StatusWord => judgeTrail(state, template).status;

/**
 * Builds the entries by name: names of the template in its order, then other names in the order of their first report.
 * A name shows the artifact that was reported last under it (rules/trails.md#repeated-artifact-reports).
 */
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

/** @param expected the template's slots for the report's name; undefined if the template does not have this name */
function reportedArtifact(
  report: ArtifactSlot,
  expected: readonly TemplateSlot[] | undefined,
  bindings: Bindings,
  templateAt: Micros,
): ReportedArtifact {
  const bound: readonly AttestationSlot[] = bindings.bound(report.fingerprint);
  const reports = bindings.reports.get(report.fingerprint) ?? [];
  const recalled = bindings.recalled(report.fingerprint);
  const entries = statusEntries(expected ?? [], latestPerSlot(bound), [], recalled);
  const status = report.compliant ? worst(entries) : 'NON-COMPLIANT';
  return {
    artifact_fingerprint: report.fingerprint,
    artifact_id: report.id,
    status,
    is_compliant: status === 'COMPLIANT',
    attestations_statuses: entries,
    unexpected: expected === undefined,
    ...(report.origin && { origin: report.origin }),
    ...recalledEntries(recalled),
    evaluated_at: [...bound, ...reports].reduce((latest, { at }) => latestOf(latest, at), templateAt),
  };
}

const recalledEntries = (recalled: readonly RecalledSlot[]): { recalled?: RecalledEntry[] } =>
  recalled.length === 0 ? {} : { recalled: recalled.map(recalledEntry) };
