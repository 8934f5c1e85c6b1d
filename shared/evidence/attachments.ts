import { invalid } from '#shared/base/errors.ts';
import { cutText } from '#shared/base/well-formed.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readUpload } from '#shared/bodies/uploads.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { AttachmentFile } from './records/attestation-records.ts';
import { sealFile } from './records/sealed-records.ts';

/** The checked files of a report. `store` writes them to the evidence vault and must run before the transaction. */
export interface ReportedFiles {
  files: AttachmentFile[];
  /** Reads the file with this SHA-256 (hex); null if there is none. */
  read(sha256: string): Promise<Uint8Array | null>;
  store(): Promise<void>;
}

/** Returns the last part of a file name, cut after 255 characters (rules/attestations.md#file-names-and-types). */
const shortName = (filename: string): string => {
  const base = filename.split(/[/\\]/).at(-1) ?? '';
  return cutText(base, 255);
};

/** The content type that browsers send for unknown files. */
const UNKNOWN_TYPE = 'application/octet-stream';
const LONGEST_TYPE = 255;

/** Prepares files that came inside the request (rules/attestations.md#inline-files). */
export function inlineFiles(
  { objects }: Pick<Stores, 'objects'>,
  org: Organization,
  parts: readonly FilePart[],
): ReportedFiles {
  const files = parts.map(({ filename, contentType, bytes }) => ({
    filename: shortName(filename) || 'attachment',
    size: bytes.length,
    type: contentType.length > LONGEST_TYPE ? UNKNOWN_TYPE : contentType,
    sha256: sha256Hex(bytes),
    // `store` sets the version. Until then there is none.
    version: null as string | null,
    ...sealFile(sha256Hex(bytes)),
  }));
  return {
    files,
    read: async (sha256) => parts[files.findIndex((file) => file.sha256 === sha256)]?.bytes ?? null,
    store: once(async () => {
      await Promise.all(
        files.map(async (file, i) => {
          const bytes = parts[i]?.bytes;
          if (bytes) file.version = await objects.putFile(org.id, file.sha256, bytes);
        }),
      );
    }),
  };
}

/**
 * Checks and prepares files that were uploaded before (rules/attestations.md#claiming-an-upload). Size and digest are
 * compared with what the bucket reports, because the form of the upload only says what the caller announced.
 *
 * @param ids ids of uploads, in the order of the report
 * @param fieldOf names the field of the n-th id in errors
 * @throws ServiceError `invalid` on the field of an upload if it is unknown, did not arrive or differs from its announcement
 */
export async function claimedFiles(
  { table, objects, clock }: Stores,
  org: Organization,
  ids: readonly string[],
  fieldOf = (n: number): string => `attachments[${n}]`,
): Promise<ReportedFiles> {
  const found = await Promise.all(
    ids.map((id) => Promise.all([readUpload(table, org.id, id, clock.now()), objects.headUpload(org.id, id)])),
  );
  const errors: Record<string, string> = {};
  const versions: (string | null)[] = [];
  const files: AttachmentFile[] = [];
  for (const [i, [upload, object]] of found.entries()) {
    const field = fieldOf(i);
    if (!upload) errors[field] = `Unknown attachment [input: ${ids[i]}]`;
    else if (!object) errors[field] = `The file of this attachment was not uploaded [input: ${ids[i]}]`;
    else if (object.size !== upload.size || object.sha256 !== upload.sha256) {
      errors[field] = `The uploaded file has another size or SHA-256 than announced [input: ${ids[i]}]`;
    } else {
      const { filename, size, type, sha256 } = upload;
      files.push({ filename, size, type, sha256, version: null, ...sealFile(sha256) });
      versions.push(object.version);
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return {
    files,
    read: async (sha256) => {
      const i = files.findIndex((file) => file.sha256 === sha256);
      return i < 0 ? null : objects.getUpload(org.id, ids[i] ?? '', versions[i] ?? null);
    },
    store: once(async () => {
      await Promise.all(
        files.map(async (file, i) => {
          file.version = await objects.keepUpload(org.id, ids[i] ?? '', file.sha256, versions[i] ?? null);
        }),
      );
    }),
  };
}

/** Runs the work at the first call only: a report that retries after a lost race must not store its files again. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
