import { CatchBoundary } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ApiProblem } from '../../client/api-problem.ts';
import { PageFailure } from '../../parts/frame/page-failure.tsx';
import { PageSkeleton } from '../../parts/page/skeleton.tsx';
import type { PageProps } from '../../routes/route.ts';
import type { artifactRoute } from '../routes.ts';
import { Reported } from './reported.tsx';
import { Unreported } from './unreported.tsx';

/** The page of an artifact: may it be released, where does it run, and what is its evidence. */
export default function ArtifactPage({ params, search }: PageProps<typeof artifactRoute>) {
  return (
    <CatchBoundary
      getResetKey={() => `${params.flow} ${params.fingerprint}`}
      errorComponent={(failure) =>
        failure.error instanceof ApiProblem && failure.error.status === 404 ? (
          <Unreported params={params} problem={failure.error} />
        ) : (
          <PageFailure {...failure} />
        )
      }
    >
      <Suspense fallback={<PageSkeleton />}>
        <Reported params={params} artifactId={search.artifact_id} />
      </Suspense>
    </CatchBoundary>
  );
}
