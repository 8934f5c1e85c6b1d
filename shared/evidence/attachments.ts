import { invalid } from '#shared/base/errors.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { readUpload } from '#shared/bodies/uploads.ts';
import type { FilePart, Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { AttachmentFile } from './records/attestation-records.ts';

/** The files of a report, checked; `keep` puts them where they stay and must come before the transaction. */
export interface ReportedFiles {
  files: AttachmentFile[];
  keep(): Promise<void>;
}

/** A file name is shown, never used as a path; only its length could hurt. */
const shortName = (filename: string): string => {
  const base = filename.split(/[/\\]/).at(-1) ?? '';
  return base.length > 255 ? base.slice(0, 255) : base;
};

/** What browsers say of files that they know nothing of. */
const UNKNOWN_TYPE = 'application/octet-stream';
const LONGEST_TYPE = 255;

/** Files that came inside the request. */
export function inlineFiles(services: Services, org: Organization, parts: readonly FilePart[]): ReportedFiles {
  const files = parts.map(({ filename, contentType, bytes }) => ({
    filename: shortName(filename) || 'attachment',
    size: bytes.length,
    type: contentType.length > LONGEST_TYPE ? UNKNOWN_TYPE : contentType,
    sha256: sha256Hex(bytes),
    version: null as string | null,
  }));
  return {
    files,
    keep: once(async () => {
      await Promise.all(
        files.map(async (file, i) => {
          const bytes = parts[i]?.bytes;
          if (bytes) file.version = await services.objects.putFile(org.id, file.sha256, bytes);
        }),
      );
    }),
  };
}

/**
 * Files that were uploaded before (design §3, «Presigned upload»). What the bucket says of size and digest is the
 * authority, not what the form had pinned.
 * @throws ApiError 400 on `attachments[n]` for an upload that is unknown, did not arrive or differs
 */
export async function claimedFiles(
  services: Services,
  org: Organization,
  ids: readonly string[],
): Promise<ReportedFiles> {
  const { table, objects, clock } = services;
  const found = await Promise.all(
    ids.map((id) => Promise.all([readUpload(table, org.id, id, clock.now()), objects.headUpload(org.id, id)])),
  );
  const errors: Record<string, string> = {};
  const versions: (string | null)[] = [];
  const files: AttachmentFile[] = [];
  for (const [i, [upload, object]] of found.entries()) {
    const field = `attachments[${i}]`;
    if (!upload) errors[field] = `Unknown attachment [input: ${ids[i]}]`;
    else if (!object) errors[field] = `The file of this attachment was not uploaded [input: ${ids[i]}]`;
    else if (object.size !== upload.size || object.sha256 !== upload.sha256) {
      errors[field] = `The uploaded file has another size or SHA-256 than announced [input: ${ids[i]}]`;
    } else {
      const { filename, size, type, sha256 } = upload;
      files.push({ filename, size, type, sha256, version: null });
      versions.push(object.version);
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return {
    files,
    keep: once(async () => {
      await Promise.all(
        files.map(async (file, i) => {
          file.version = await objects.keepUpload(org.id, ids[i] ?? '', file.sha256, versions[i] ?? null);
        }),
      );
    }),
  };
}

/** A report that is decided anew keeps its files only once. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
