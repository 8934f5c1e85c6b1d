import { dayText, type Zone } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { EnvironmentAssertions } from '../../release/operations.ts';
import type { Attestation } from '../operations.ts';

/** Who replaced the verdict of which evidence. */
export type Override = Pick<
  EnvironmentAssertions['overrides'][number],
  'attestation_name' | 'is_compliant' | 'original_is_compliant' | 'created_by' | 'created_at' | 'reason'
>;

/** The override that an attestation is; null for every other attestation. */
export function overrideOf(attestation: Attestation): Override | null {
  if (attestation.attestation_type !== 'override') return null;
  const { original_is_compliant: original, reason } = attestation;
  return {
    ...attestation,
    original_is_compliant: typeof original === 'boolean' ? original : null,
    reason: typeof reason === 'string' ? reason : null,
  };
}

/** `compliant because bob overrode a failed scan on 3 Nov 2026: False positive`. */
export function overrideText(override: Override, zone: Zone): string {
  const { attestation_name: name, is_compliant: compliant, original_is_compliant: original } = override;
  const before = original === null ? `${name}, which had no result,` : `a ${original ? 'passed' : 'failed'} ${name}`;
  const reason = override.reason ?? 'the reason was erased';
  const act = `${override.created_by} overrode ${before} on ${dayText(override.created_at, zone)}`;
  return `${compliant ? 'compliant' : 'not compliant'} because ${act}: ${reason}`;
}

/** What overrides change about an artifact, in one sentence that names the newest; empty if there are none. */
export function overridesSentence(overrides: readonly Override[], zone: Zone): string {
  const [newest, ...others] = overrides.toSorted((one, other) => other.created_at - one.created_at);
  if (!newest) return '';
  const more =
    others.length === 0
      ? ''
      : ` There ${others.length === 1 ? 'is' : 'are'} ${count(others.length, 'other override')}.`;
  return `${newest.attestation_name} counts as ${overrideText(newest, zone).replace(/\.$/, '')}.${more}`;
}
