import type { AttestationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { ControlDecision } from '#shared/controls/rules/decisions.ts';
import type { AttestationStatus, ComplianceStatus, StatusWord } from '#shared/evidence/rules/verdict.ts';

/** What the engine of a policy program found where it stopped: the line, and the value that did not hold. */
interface DecidingLine {
  file: string;
  line: number;
  /** What did not hold: `input.trail.is_compliant is false`. */
  what: string;
}

/** An evaluation that recorded a decision. */
export interface SeenEvaluation {
  id: string;
  allow: boolean;
  violations: readonly string[];
  /** Where the program stopped; null if that was not stored. */
  decided: DecidingLine | null;
}

/** One rule of a custom type with its outcome. */
export interface SeenTypeRule {
  /** The jq program; null if the version of the type cannot be read any more. */
  text: string | null;
  compliant: boolean;
  reason: string | null;
}

/** What an attestation says about its own verdict. */
export interface SeenAttestation {
  flow: string;
  trail: string;
  name: string;
  compliant: boolean;
  by: string;
  at: Micros;
  /** What of the report decided: `2 high findings`; null if the reporter stated the verdict, or if the text was erased. */
  saw: string | null;
  /** The control that a decision is about. */
  control: string | null;
  /** Set for an override that replaced a verdict. */
  override: { original: boolean | null; reason: string | null } | null;
  evaluation: SeenEvaluation | null;
  /** The custom type and its rules. */
  type: { name: string; version: number | null; rules: readonly SeenTypeRule[] } | null;
}

export type SeenAttestations = ReadonlyMap<string, SeenAttestation>;

/** What a trail asks for, with the name of the artifact in the template that is asked; null for the trail as a whole. */
export type SeenEntry = Pick<
  AttestationStatus,
  'attestation_name' | 'attestation_type' | 'attestation_id' | 'overridden_attestation_id' | 'status' | 'is_compliant'
> & {
  scope: string | null;
  /** What of the slot recalls match; without an id where a stored snapshot says so. */
  recalled?: { attestation_id: AttestationId | null; recalls: readonly { name: string }[] } | undefined;
};

/** Returns a function that names the artifact in the template that entries belong to. */
export const inScope =
  (scope: string | null) =>
  (entry: Omit<SeenEntry, 'scope'>): SeenEntry => ({ ...entry, scope });

/** A trail with an artifact, or as a whole. */
export interface SeenTrail {
  flow: string;
  trail: string;
  /** The verdict about the artifact in the trail, or about the trail. */
  status: StatusWord;
  entries: readonly SeenEntry[];
  /** Names of artifacts that the template asks for and nobody reported. */
  missingArtifacts?: readonly string[];
}

/** Returns a trail as a whole, with what it asks of itself and of its artifacts. */
export function seenTrail(
  place: Pick<SeenTrail, 'flow' | 'trail'>,
  { status, attestations_statuses: own, artifacts_statuses: artifacts }: ComplianceStatus,
): SeenTrail {
  const ofArtifacts = Object.entries(artifacts);
  return {
    ...place,
    status,
    entries: [
      ...own.map(inScope(null)),
      ...ofArtifacts.flatMap(([name, { attestations_statuses: entries }]): SeenEntry[] => entries.map(inScope(name))),
    ],
    missingArtifacts: ofArtifacts.flatMap(([name, artifact]) => (artifact.status === 'MISSING' ? [name] : [])),
  };
}

/** A decision on a control that was recorded for an artifact. */
export interface SeenDecision extends ControlDecision {
  id: AttestationId;
}

/** Addresses of pages. */
export interface Links {
  environment(name: string): string;
  policy(name: string): string;
  trail(flow: string, trail: string): string;
  attestation(flow: string, trail: string, id: string): string;
  evaluation(id: string): string;
  type(name: string): string;
}
