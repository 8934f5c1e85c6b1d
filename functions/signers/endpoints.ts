import { endpointGroup } from '#shared/http/endpoint.ts';
import { deleteSigner, putSigner } from './change-signer.ts';
import { deleteTrustRoot, putTrustRoot } from './change-trust-root.ts';
import { checkSigner } from './check-signer.ts';
import { getSigner, listSigners, listSignerVersions } from './read-signers.ts';
import { getTrustRoot, listTrustRoots, listTrustRootVersions } from './read-trust-roots.ts';

export const signersGroup = endpointGroup({
  name: 'signers',
  about: 'Whose signatures count, and by which trust roots.',
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
  ],
});
