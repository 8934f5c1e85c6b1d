import type { Attestation } from '../../operations.ts';

/** Fields that every attestation has. What remains is what its type found. */
const COMMON = new Set([
  ...['attestation_id', 'attestation_name', 'attestation_type', 'is_compliant', 'created_at', 'created_by', 'identity'],
  ...['flow_name', 'trail_name', 'artifact_fingerprint', 'target_artifacts', 'git_commit_info', 'repo_info'],
  ...['html_url', 'origin_url', 'description', 'annotations', 'external_urls', 'user_data', 'attachments'],
  ...['has_audit_package', 'erased', 'evidence_files', 'reason'],
  ...['new_compliance_status', 'overridden_attestation_id', 'original_is_compliant', 'sbom', 'verification'],
  ...['recalls', 'components'],
]);

/** A finding of a type: a short value as text, or a structure. */
interface Finding {
  label: string;
  text: string | null;
  value: unknown;
}

/** What the type of an attestation found, in the order of the API. Empty values are left out. */
export const findingsOf = (attestation: Attestation): Finding[] =>
  Object.entries(attestation)
    .filter(([key, value]) => !COMMON.has(key) && !isEmpty(value) && !isVerdict(value))
    .map(([key, value]) => ({ label: key.replaceAll('_', ' '), text: shortText(value), value }));

/** The data of a decision have the verdict again, which stands above. */
const isVerdict = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === 'is_compliant';

/** The values of a small flat object or list, as one line; null for a structure. */
function shortText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return null;
}

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** `3 B`, `12 KB`, `4.2 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
