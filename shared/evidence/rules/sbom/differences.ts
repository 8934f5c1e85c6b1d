import { isDictionary } from '#shared/base/validation.ts';
import type { SbomSummary } from './summary.ts';

/** A fact of an SBOM that the reporter stated in another way than the file has it. */
export interface SbomDifference {
  /** `package_count`, `subject.name` */
  field: string;
  stated: unknown;
  found: unknown;
}

/** What a reporter says about an SBOM, as the client sends it. A fact that is absent was not stated. */
export interface StatedSbom {
  format?: string | null | undefined;
  document?:
    | {
        subject?: Record<string, unknown> | null | undefined;
        package_count?: number | null | undefined;
      }
    | null
    | undefined;
}

const SUBJECT = ['name', 'version', 'purl', 'sha256'] as const;

/**
 * Compares what the reporter stated with what the service found in the file
 * (rules/attestations.md#what-is-read-of-an-sbom). Null is a statement: there is none.
 */
export function sbomDifferences({ format, document }: StatedSbom, found: SbomSummary): SbomDifference[] {
  const compared: SbomDifference[] = [
    { field: 'format', stated: format, found: found.format },
    { field: 'package_count', stated: document?.package_count, found: found.package_count },
    ...subjectFields(document?.subject, found),
  ];
  return compared.filter(({ stated, found }) => stated !== undefined && comparable(stated) !== comparable(found));
}

function subjectFields(stated: unknown, { subject }: SbomSummary): SbomDifference[] {
  if (!isDictionary(stated) || subject === null) {
    const name = isDictionary(stated) ? stated['name'] : stated;
    return [{ field: 'subject', stated: name, found: subject?.name ?? null }];
  }
  return SUBJECT.map((field) => ({ field: `subject.${field}`, stated: stated[field], found: subject[field] }));
}

/** Digests are written in small and in capital letters, and white space around a text means nothing. */
const comparable = (value: unknown) =>
  typeof value !== 'string' ? value : /^[a-f0-9]{64}$/i.test(value) ? value.toLowerCase() : value.trim();
