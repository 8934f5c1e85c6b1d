import type { ParamsOf } from '../../../routes/params.ts';
import type { Attestation } from '../../operations.ts';
import { decisionOf } from '../model/decision.ts';
import { scanView } from '../model/findings.ts';
import { issuesView } from '../model/issues.ts';
import { junitView } from '../model/junit.ts';
import { pullRequestView } from '../model/pull-request.ts';
import { sbomView } from '../model/sbom.ts';
import { sonarView } from '../model/sonar.ts';
import { CustomView } from './custom-view.tsx';
import { DecisionView } from './decision-view.tsx';
import { GenericView } from './generic-view.tsx';
import { IssuesView } from './issues-view.tsx';
import { JunitView } from './junit-view.tsx';
import { PullRequestView } from './pull-request-view.tsx';
import { SbomView } from './sbom-view.tsx';
import { ScanView } from './scan-view.tsx';
import { SonarView } from './sonar-view.tsx';

interface KindProps {
  attestation: Attestation;
  params: ParamsOf<'trail'>;
}

/**
 * What an attestation of its kind says, as people read it. A report with another form than clients send is shown as its fields,
 * with a sentence that says so.
 */
export function KindView({ attestation, params }: KindProps) {
  const { attestation_type: type, attachments } = attestation;
  // The client attaches the results of a tool as the first file.
  const place =
    attachments[0] && !attachments[0].erased
      ? { org: params.org, attestation: attestation.attestation_id, n: 0 }
      : null;
  switch (type) {
    case 'junit': {
      const view = junitView(attestation);
      return view ? (
        <JunitView view={view} place={place} />
      ) : (
        <OtherForm attestation={attestation} kind="test results" />
      );
    }
    case 'snyk': {
      const view = scanView(attestation);
      return view ? <ScanView view={view} place={place} /> : <OtherForm attestation={attestation} kind="a scan" />;
    }
    case 'pull_request': {
      const view = pullRequestView(attestation);
      return view ? <PullRequestView view={view} /> : <OtherForm attestation={attestation} kind="pull requests" />;
    }
    case 'sonar': {
      const view = sonarView(attestation);
      return view ? <SonarView view={view} /> : <OtherForm attestation={attestation} kind="a code analysis" />;
    }
    case 'jira': {
      const view = issuesView(attestation);
      return view ? <IssuesView view={view} /> : <OtherForm attestation={attestation} kind="issues" />;
    }
    case 'sbom': {
      const view = sbomView(attestation);
      // The list of components has all packages of a file that was read. Their licences are in the preview of the file.
      const file = attestation.components?.state === 'read' ? null : place;
      return view ? <SbomView view={view} place={file} /> : <OtherForm attestation={attestation} kind="an SBOM" />;
    }
    case 'decision': {
      const decision = decisionOf(attestation);
      return decision ? (
        <DecisionView decision={decision} attestation={attestation} params={params} />
      ) : (
        <OtherForm attestation={attestation} kind="a decision" />
      );
    }
    default:
      return type.startsWith('custom:') ? (
        <CustomView attestation={attestation} org={params.org} />
      ) : (
        <GenericView attestation={attestation} />
      );
  }
}

const OtherForm = ({ attestation, kind }: { attestation: Attestation; kind: string }) => (
  <GenericView
    attestation={attestation}
    note={`The report does not have the form that clients send for ${kind}, so its fields are shown as they came.`}
  />
);
