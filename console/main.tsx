import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './client/api-problem.ts';
import { applyPreferences } from './client/preferences.ts';
import { queryClient } from './client/query-client.ts';
import { router } from './router.tsx';
import './styles/base.css';

applyPreferences();

const root = document.getElementById('root');
if (!root) throw new Error('The shell has no element with the id root');
createRoot(root, {
  // The page shows what the API refused. It is no fault of the console, so it is no error of the browser's console either.
  onCaughtError: (error) => {
    if (!(error instanceof ApiProblem)) console.error(error);
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
