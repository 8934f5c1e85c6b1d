import type { Attestation } from '../../operations.ts';

/** What is said of the signature of an attestation (rules/verified-evidence.md#grades). */

type Sealed = Pick<Attestation, 'verification' | 'created_by'>;

/** Who made the evidence, as far as the service saw it. A signature that was not verified says why. */
export function sealSentence({ verification, created_by: by }: Sealed): string {
  const { grade, signer, times, error } = verification;
  if (error !== null) return `The signature was not verified: ${ended(error)} So it counts as what ${by} only stated.`;
  const name = signer?.name ?? 'a signer';
  switch (grade) {
    case 'stated':
      return `Nothing is signed: ${by} stated it with a key.`;
    case 'identified':
      return `Nothing is signed, but an issuer proved which pipeline ${by} was when it reported.`;
    case 'signed':
      return `Signed by ${name}. Nothing proves when.`;
    case 'logged':
      return `Signed by ${name}, and a ${times[0]?.from ?? 'log'} proves when.`;
    case 'observed':
      return 'The service recorded it itself.';
  }
}

const ended = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

/** The workflow that a certificate names: the one that was started, or the one that it called. */
export const workflowOf = ({ claims }: Attestation['verification']): string | null =>
  claims['build_signer_uri'] ?? claims['build_config_uri'] ?? null;
