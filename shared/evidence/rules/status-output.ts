import { type Fingerprint, idOfDigest } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { ArtifactStatus, AttestationStatus, ComplianceStatus, StatusWord } from './verdict.ts';

/** SHA-256 of the empty text: the empty template gets its id from this digest. */
const EMPTY_TEMPLATE_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** An artifact's entry in answers. Only a reported artifact has the last two fields. */
interface ArtifactStatusOut {
  artifact_fingerprint: Fingerprint | null;
  artifact_id: string | null;
  status: StatusWord | 'MISSING';
  is_compliant: boolean | null;
  attestations_statuses: AttestationStatus[];
  unexpected: boolean;
  origin?: ProvenOrigin;
  /** Seconds since the epoch. */
  evaluated_at?: number;
  flow_template_id?: string;
}

/** `compliance_status` of a trail in answers (rules/trails.md#compliance-status). */
interface ComplianceStatusOut {
  status: StatusWord;
  is_compliant: boolean;
  attestations_statuses: AttestationStatus[];
  artifacts_statuses: Record<string, ArtifactStatusOut>;
  /** Seconds since the epoch. */
  evaluated_at: number;
  flow_template_id: string;
}

/** Returns the id of a template, which is derived from its digest (rules/flows.md#template-ids). */
export const templateId = (digest: string | null): string => idOfDigest(digest ?? EMPTY_TEMPLATE_DIGEST);

/** @param template digest of the template that was evaluated; null is the empty template */
export function artifactStatusOut(entry: ArtifactStatus, template: string | null): ArtifactStatusOut {
  if (entry.status === 'MISSING') return entry;
  return { ...entry, evaluated_at: toSeconds(entry.evaluated_at), flow_template_id: templateId(template) };
}

export function complianceStatusOut(status: ComplianceStatus): ComplianceStatusOut {
  const { template, evaluated_at, ...rest } = status;
  // The object has no prototype, because `__proto__` is a legal name.
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
