import { scriptTextDiagnostics } from '../../lint/checks/expressions.js';
import { type SectionCheck, scriptNames } from '../../lint/checks/section-check.js';
import { viewOf } from '../../lint/types/infer.js';

export const checkScriptSection: SectionCheck<'script'> = ({ script }, path, names) =>
  scriptTextDiagnostics(script, path, { ...viewOf(scriptNames(names)), takesFiles: true });
