import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useParams, useRouter } from '@tanstack/react-router';
import { SignInForm } from '../../account/sign-in-form.tsx';
import { ApiProblem } from '../../client/api-problem.ts';
import { MissingFile } from '../../client/new-version.ts';
import { Offers } from '../../people/offers.tsx';
import { Button } from '../control/button.tsx';
import { PageLink } from '../link/link.tsx';
import { ErrorPanel } from '../page/error-panel.tsx';
import { VerdictLine } from '../page/verdict-line.tsx';
import styles from './page-failure.module.css';

/** What stands instead of a page whose first answer failed. */
export function PageFailure({ error }: ErrorComponentProps) {
  const router = useRouter();
  const { reset } = useQueryErrorResetBoundary();
  const { org } = useParams({ strict: false });
  const again = () => {
    reset();
    void router.invalidate();
  };
  const status = error instanceof ApiProblem ? error.status : null;
  if (status === 401) {
    return (
      <div className={styles['signIn']}>
        <VerdictLine subject="Sign in" sentence="The service shows evidence to members of an organization only." />
        <SignInForm next={location.pathname + location.search + location.hash} onSignedIn={again} />
      </div>
    );
  }
  if (error instanceof MissingFile) {
    return (
      <>
        <VerdictLine
          subject={error.reason === 'new-version' ? 'Reload the console' : 'No connection'}
          sentence={error.message}
        />
        <Button look="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </>
    );
  }
  return (
    <>
      <VerdictLine subject={headingFor(status)} />
      <ErrorPanel error={error} retry={again}>
        {org !== undefined && status === 404 && <Ways org={org} />}
      </ErrorPanel>
      {org !== undefined && status === 403 && <Offers org={org} onJoined={again} />}
    </>
  );
}

const headingFor = (status: number | null): string => {
  if (status === 404) return 'Not found';
  if (status === 403) return 'Not allowed';
  return status === 0 ? 'No connection' : 'No answer';
};

/** What stands at an address that is no page of the console. */
export function NoSuchPage() {
  const { org } = useParams({ strict: false });
  return (
    <>
      <VerdictLine subject="Not found" sentence="The console has no page with this address." />
      {org === undefined ? (
        <p>
          <PageLink page="organizations" params={{}}>
            Your organizations
          </PageLink>
        </p>
      ) : (
        <Ways org={org} />
      )}
    </>
  );
}

/** Where a reader may find what an address does not lead to. */
const Ways = ({ org }: { org: string }) => (
  <ul className={styles['ways']}>
    <li>
      <PageLink page="flows" params={{ org }}>
        Flows
      </PageLink>
    </li>
    <li>
      <PageLink page="environments" params={{ org }}>
        Environments
      </PageLink>
    </li>
    <li>
      <PageLink page="home" params={{ org }}>
        Home
      </PageLink>
    </li>
  </ul>
);
