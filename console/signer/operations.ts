import type { deleteSigner as removeSigner, putSigner as saveSigner } from '#functions/signers/change-signer.ts';
import type { deleteTrustRoot as removeRoot, putTrustRoot as saveRoot } from '#functions/signers/change-trust-root.ts';
import type { getSigner, listSigners, listSignerVersions } from '#functions/signers/read-signers.ts';
import type { getTrustRoot, listTrustRoots, listTrustRootVersions } from '#functions/signers/read-trust-roots.ts';
import type {
  deleteRecall as removeRecall,
  putRecall as saveRecall,
} from '#functions/signers/recalls/change-recall.ts';
import type { getRecallImpact, tryRecall as tryOne } from '#functions/signers/recalls/get-impact.ts';
import type { getRecall, listRecalls, listRecallVersions } from '#functions/signers/recalls/read-recalls.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on signers, trust roots and recalls. */
export const signers = operation<typeof listSigners>()('GET', '/signers/{org}', 'reader');
export const signer = operation<typeof getSigner>()('GET', '/signers/{org}/{name}', 'reader');
export const signerVersions = operation<typeof listSignerVersions>()('GET', '/signers/{org}/{name}/versions', 'reader');
export const putSigner = operation<typeof saveSigner>()('PUT', '/signers/{org}/{name}', 'admin');
export const deleteSigner = operation<typeof removeSigner>()('DELETE', '/signers/{org}/{name}', 'admin');

export const trustRoots = operation<typeof listTrustRoots>()('GET', '/trust-roots/{org}', 'reader');
export const trustRoot = operation<typeof getTrustRoot>()('GET', '/trust-roots/{org}/{name}', 'reader');
export const trustRootVersions = operation<typeof listTrustRootVersions>()(
  'GET',
  '/trust-roots/{org}/{name}/versions',
  'reader',
);
export const putTrustRoot = operation<typeof saveRoot>()('PUT', '/trust-roots/{org}/{name}', 'admin');
export const deleteTrustRoot = operation<typeof removeRoot>()('DELETE', '/trust-roots/{org}/{name}', 'admin');

export const recalls = operation<typeof listRecalls>()('GET', '/recalls/{org}', 'reader');
export const recall = operation<typeof getRecall>()('GET', '/recalls/{org}/{name}', 'reader');
export const recallVersions = operation<typeof listRecallVersions>()('GET', '/recalls/{org}/{name}/versions', 'reader');
export const recallImpact = operation<typeof getRecallImpact>()('GET', '/recalls/{org}/{name}/impact', 'reader');
export const tryRecall = operation<typeof tryOne>()('POST', '/recalls/{org}/{name}/impact', 'reader');
export const putRecall = operation<typeof saveRecall>()('PUT', '/recalls/{org}/{name}', 'admin');
export const deleteRecall = operation<typeof removeRecall>()('DELETE', '/recalls/{org}/{name}', 'admin');

export type Signer = AnswerOf<typeof getSigner>;
export type TrustRoot = AnswerOf<typeof getTrustRoot>;
export type Recall = AnswerOf<typeof getRecall>;
export type Impact = AnswerOf<typeof getRecallImpact>;
