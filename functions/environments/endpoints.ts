import { endpointGroup } from '#shared/http/endpoint.ts';
import { archiveEnvironment } from './archive-environment.ts';
import { attachPolicies, detachPolicies } from './change-policies.ts';
import { getDeploymentFrequency } from './deployment-frequency.ts';
import { getEnvironment } from './get-environment.ts';
import { joinEnvironment } from './join-environment.ts';
import { listDeployments } from './list-deployments.ts';
import { listEnvironments } from './list-environments.ts';
import { listEvents } from './list-events.ts';
import { listHistory } from './list-history.ts';
import { listPresence } from './list-presence.ts';
import { patchEnvironment } from './patch-environment.ts';
import { putEnvironment } from './put-environment.ts';
import { renameEnvironment } from './rename-environment.ts';
import { reportEndpoints, reportOtherKind } from './report-snapshot.ts';

export const environmentsGroup = endpointGroup({
  name: 'environments',
  about: 'Where things run. Reports of what runs become numbered snapshots.',
  endpoints: [
    putEnvironment,
    listEnvironments,
    getEnvironment,
    patchEnvironment,
    archiveEnvironment,
    renameEnvironment,
    joinEnvironment,
    listEvents,
    listHistory,
    getDeploymentFrequency,
    listDeployments,
    listPresence,
    ...reportEndpoints,
    reportOtherKind,
    attachPolicies,
    detachPolicies,
  ],
});
