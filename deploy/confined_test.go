package deploy

import (
	"testing"

	core "k8s.io/api/core/v1"
)

// confined fails unless a pod runs without root, privileges, a writable file
// system and a token of Kubernetes; and unless every volume is mounted and
// every mount has its volume. With bounded, its memory has a limit.
func confined(t *testing.T, where string, pod core.PodSpec, bounded bool) {
	t.Helper()
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Errorf("%s: the pod gets a token of Kubernetes", where)
	}
	s := pod.SecurityContext
	if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 || s.SeccompProfile == nil || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: the pod's security context: %+v", where, s)
	}
	mounted := map[string]bool{}
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.Capabilities == nil || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
			t.Errorf("%s: container %s: security context %+v", where, c.Name, s)
		}
		if bounded && (c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero()) {
			t.Errorf("%s: container %s: resources %+v", where, c.Name, c.Resources)
		}
		for _, m := range c.VolumeMounts {
			mounted[m.Name] = true
			if !m.ReadOnly {
				t.Errorf("%s: container %s may write to %s", where, c.Name, m.MountPath)
			}
		}
	}
	for _, v := range pod.Volumes {
		if !mounted[v.Name] {
			t.Errorf("%s: volume %s is not mounted", where, v.Name)
		}
		delete(mounted, v.Name)
	}
	for name := range mounted {
		t.Errorf("%s: there is no volume %s", where, name)
	}
}
