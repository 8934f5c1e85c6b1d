import { type Fingerprint, idOfDigest } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { ArtifactStatus, AttestationStatus, ComplianceStatus, StatusWord } from './verdict.ts';

/** SHA-256 of no text at all: the digest under which the empty template has its id. */
const EMPTY_TEMPLATE_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** An artifact's entry on the wire (wire flows §4). The last two fields are there once the artifact is reported. */
export interface ArtifactStatusOut {
  artifact_fingerprint: Fingerprint | null;
  artifact_id: string | null;
  status: StatusWord | 'MISSING';
  is_compliant: boolean | null;
  attestations_statuses: AttestationStatus[];
  unexpected: boolean;
  /** Seconds since the epoch. */
  evaluated_at?: number;
  flow_template_id?: string;
}

/** `compliance_status` of a trail on the wire (wire flows §4 T2). */
export interface ComplianceStatusOut {
  status: StatusWord;
  is_compliant: boolean;
  attestations_statuses: AttestationStatus[];
  artifacts_statuses: Record<string, ArtifactStatusOut>;
  /** Seconds since the epoch. */
  evaluated_at: number;
  flow_template_id: string;
}

/** The id of a template is made from its content, so that it changes when the template changes. */
export const templateId = (digest: string | null): string => idOfDigest(digest ?? EMPTY_TEMPLATE_DIGEST);

/** @param template digest of the template that was evaluated, null = the empty one */
export function artifactStatusOut(entry: ArtifactStatus, template: string | null): ArtifactStatusOut {
  if (entry.status === 'MISSING') return entry;
  return { ...entry, evaluated_at: toSeconds(entry.evaluated_at), flow_template_id: templateId(template) };
}

export function complianceStatusOut(status: ComplianceStatus): ComplianceStatusOut {
  const { template, evaluated_at, ...rest } = status;
  // Without a prototype, as what it is made from: `__proto__` is a legal name.
  const artifacts: Record<string, ArtifactStatusOut> = Object.create(null);
  for (const [name, entry] of Object.entries(status.artifacts_statuses)) {
    artifacts[name] = artifactStatusOut(entry, template);
  }
  return {
    ...rest,
    artifacts_statuses: artifacts,
    evaluated_at: toSeconds(evaluated_at),
    flow_template_id: templateId(template),
  };
}
