import { read } from '../../../client/query-client.ts';
import { attachmentPreview } from '../../operations.ts';

/** The place of an attached file. */
export interface FilePlace {
  org: string;
  attestation: string;
  n: number;
}

/** A file never changes, so its preview is read once. */
export const readPreview = ({ org, attestation, n }: FilePlace) => ({
  ...read(attachmentPreview, { org, attestation_id: attestation, n: String(n) }),
  staleTime: Number.POSITIVE_INFINITY,
});
