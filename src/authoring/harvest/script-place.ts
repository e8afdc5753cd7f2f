/** Folders of scripts that were written for one piece of work. Source: R-000-90. */
const PLACE = /(?:^|\/)workdocs\/(?:.+\/)?scripts$/;

/** Whether a folder, from the root of the project, holds such scripts. */
export function isScriptPlace(folder: string): boolean {
  return PLACE.test(folder);
}

/** Whether a path, from the root of the project, is one of a script that was written for one piece of work. */
export function isAdHoc(path: string): boolean {
  return isScriptPlace(path.split('/').slice(0, -1).join('/'));
}

/** The folder of the module whose work a script was written for; empty: that of the project as a whole. */
export function moduleFolder(path: string): string {
  const [folder = ''] = path.split(/(?:^|\/)workdocs\//, 1);
  return folder;
}
