import { endpointGroup } from '#shared/http/endpoint.ts';
import { archiveControl } from './archive-control.ts';
import { createControl } from './create-control.ts';
import { getControl } from './get-control.ts';
import { getControlVersion } from './get-control-version.ts';
import { getCoverage } from './get-coverage.ts';
import { listControlVersions } from './list-control-versions.ts';
import { listControls } from './list-controls.ts';
import { unarchiveControl } from './unarchive-control.ts';
import { updateControl } from './update-control.ts';

export const controlsGroup = endpointGroup({
  name: 'controls',
  about: 'Governance requirements with versions, and the environments that they cover.',
  endpoints: [
    createControl,
    listControls,
    getControl,
    updateControl,
    archiveControl,
    unarchiveControl,
    listControlVersions,
    getControlVersion,
    getCoverage,
  ],
});
