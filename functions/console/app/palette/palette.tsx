import { useNavigate } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';

/** Find by digest, commit or name. */
export default function Palette({ org, onClose }: { org: string | undefined; onClose: () => void }) {
  void useNavigate;
  void org;
  return (
    <Dialog title="Search" onClose={onClose}>
      <DialogFoot>
        <Button onClick={onClose}>Close</Button>
      </DialogFoot>
    </Dialog>
  );
}
