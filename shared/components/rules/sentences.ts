import { sentence } from '#shared/base/errors.ts';

/** Sentences about components that callers see (rules/components.md). */

export const sbomNotFound = sentence('not-found', 'The attestation does not exist, or has no SBOM that could be read');
