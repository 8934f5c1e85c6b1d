import { createHash } from 'node:crypto';
import { pack } from 'tar-stream';
import type { AttestationId } from '#shared/base/ids.ts';
import type { EvidenceOfOrganization } from '../evidence.ts';

/** Reports of SBOMs in the ways that the service takes, for tests of what is read of them. */

export interface SampleComponent {
  name: string;
  version?: string;
  purl?: string;
}

export const npm = (name: string, version: string): SampleComponent => ({
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
});

/** A CycloneDX document with these components. */
export const sbomOf = (...components: readonly SampleComponent[]): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: components.map((component) => ({ type: 'library', ...component })),
  });

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Options {
  name?: string;
  trail?: string;
  fields?: Record<string, unknown>;
}

/** Reports an SBOM as the client does. */
export async function reportSbom(
  acme: EvidenceOfOrganization,
  file: string,
  { name = 'sbom', trail = 'run', fields = {} }: Options = {},
): Promise<AttestationId> {
  const attestation_data = { original_fingerprint: sha256(file) };
  const report = { attestation_name: name, type_name: 'sbom', attestation_data, ...fields };
  const { status, text } = await acme.attest('system', report, { trail, files: { attachment_file: file } });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return newestOf(acme, name, trail);
}

/** Reports an attestation of another kind with files, by their names. */
export async function reportFiles(
  acme: EvidenceOfOrganization,
  files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
  { name = 'check', trail = 'run', fields = {} }: Options = {},
): Promise<AttestationId> {
  const form = new FormData();
  form.append('data_json', JSON.stringify({ attestation_name: name, ...fields }));
  for (const [filename, content] of Object.entries(files))
    form.append('attachment_file', new Blob([content]), filename);
  const { status, text } = await acme.call('POST', `/attestations/${acme.org}/web/trail/${trail}/generic`, { form });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return newestOf(acme, name, trail);
}

async function newestOf(acme: EvidenceOfOrganization, name: string, trail: string): Promise<AttestationId> {
  const [record] = await acme.named(name, { trail });
  // The service answers the id of an attestation.
  return String(record?.['attestation_id']) as AttestationId;
}

/** A tar with these files. */
export async function tarOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<Buffer<ArrayBuffer>> {
  const tar = pack();
  tar.entry({ name: 'folder/', type: 'directory' });
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, Buffer.from(content));
  tar.finalize();
  const chunks: Uint8Array[] = [];
  // The stream has no type for its chunks.
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
