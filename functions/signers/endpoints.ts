import { endpointGroup } from '#shared/http/endpoint.ts';
import { deleteSigner, putSigner } from './change-signer.ts';
import { deleteTrustRoot, putTrustRoot } from './change-trust-root.ts';
import { checkSigner } from './check-signer.ts';
import { getSigner, listSigners, listSignerVersions } from './read-signers.ts';
import { getTrustRoot, listTrustRoots, listTrustRootVersions } from './read-trust-roots.ts';
import { deleteRecall, putRecall } from './recalls/change-recall.ts';
import { getRecallImpact, tryRecall } from './recalls/get-impact.ts';
import { getRecall, listRecalls, listRecallVersions } from './recalls/read-recalls.ts';

export const signersGroup = endpointGroup({
  name: 'signers',
  about: 'Whose signatures count, by which trust roots, and which of them are recalled.',
  endpoints: [
    putTrustRoot,
    listTrustRoots,
    getTrustRoot,
    deleteTrustRoot,
    listTrustRootVersions,
    putSigner,
    listSigners,
    getSigner,
    deleteSigner,
    listSignerVersions,
    checkSigner,
    putRecall,
    listRecalls,
    getRecall,
    deleteRecall,
    listRecallVersions,
    getRecallImpact,
    tryRecall,
  ],
});
