export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** Printed instead of candidates where file names are expected; each shell completes those itself. */
export const FILES = ':files';

/** They call the completed command, so each project's version answers. Bash splits words at `=`. */
export const SCRIPTS: Record<Shell, string> = {
  bash: `# Completion of \`ability\` for bash. Load it: source <(ability completion bash)
_ability() {
  local line found=() cur="\${COMP_WORDS[COMP_CWORD]}"
  while IFS= read -r line; do found+=("$line"); done < <(
    "$1" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
  if [ "\${found[0]-}" = '${FILES}' ]; then
    [ "$cur" = '=' ] && cur=
    compopt -o filenames 2>/dev/null
    found=()
    while IFS= read -r line; do found+=("$line"); done < <(compgen -f -- "$cur")
  fi
  COMPREPLY=("\${found[@]}")
}
complete -F _ability ability
`,
  zsh: `#compdef ability
# Completion of \`ability\` for zsh. Load it after compinit: source <(ability completion zsh)
_ability() {
  local -a found
  found=("\${(@f)$("$words[1]" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "$found[1]" == '${FILES}' ]]; then
    _files
  elif [[ -n "$found[1]" ]]; then
    _describe 'ability' found
  fi
}
compdef _ability ability
`,
  fish: `# Completion of \`ability\` for fish. Load it: ability completion fish | source
function __ability_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (command $words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
    if test "$found[1]" = '${FILES}'
        __fish_complete_path "$current"
    else
        string join \\n -- $found
    end
end
complete -c ability -f -a '(__ability_complete)'
`,
};
