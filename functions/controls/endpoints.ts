import { endpointGroup } from '#shared/http/endpoint.ts';
import { archiveControl, unarchiveControl } from './archive-control.ts';
import { createControl, updateControl } from './change-control.ts';
import { getControlVersion, listControlVersions } from './control-versions.ts';
import { getControl } from './get-control.ts';
import { getCoverage } from './get-coverage.ts';
import { listControls } from './list-controls.ts';

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
